// Passes seeds from a bus clock to engines on several clocks derived from the same core clock, each with its
// engine bridge. The engine is a register that takes a seed at its clock's edge and counts its edges.
module seed_bridge_tb #(
    parameter int unsigned Engines = 4
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    output logic                     bus_tick_o,
    input  logic                     valid_i,
    input  logic [31:0]              seed_i,
    input  logic [Engines-1:0]       busy_i,
    output logic [Engines-1:0]       awake_o,
    output logic [Engines-1:0][31:0] seed_o,
    output logic [Engines-1:0][31:0] edges_o
);
  localparam int unsigned Num [Engines] = '{1, 2, 1, 1};
  localparam int unsigned Den [Engines] = '{1, 5, 2, 8};

  clock_divider #(.Num(1), .Den(2)) u_bus_divider (.clk_i, .rst_ni, .tick_o(bus_tick_o));

  for (genvar e = 0; e < Engines; e++) begin : g_engine
    logic tick, engine_clk, fire, seed_valid;
    logic unused_ready, unused_done, unused_valid, unused_passing;
    logic [31:0] seed, seed_q, edges_q;

    clock_divider #(.Num(Num[e]), .Den(Den[e])) u_divider (.clk_i, .rst_ni, .tick_o(tick));

    engine_bridge u_bridge (
      .clk_i, .rst_ni, .bus_tick_i(bus_tick_o), .tick_i(tick), .ctl_valid_i(1'b0), .ctl_ready_o(unused_ready),
      .ctl_done_o(unused_done), .eng_clk_o(engine_clk), .eng_fire_o(fire), .eng_valid_o(unused_valid), .eng_ready_i(1'b0),
      .eng_done_i(1'b0), .eng_busy_i(busy_i[e]), .eng_wake_i(seed_valid), .awake_o(awake_o[e]), .passing_o(unused_passing), .oldest_o()
    );

    seed_bridge u_seed (
      .clk_i, .rst_ni, .bus_tick_i(bus_tick_o), .ctl_valid_i(valid_i), .ctl_seed_i(seed_i), .eng_valid_o(seed_valid),
      .eng_seed_o(seed), .eng_fire_i(fire)
    );

    always_ff @(posedge engine_clk or negedge rst_ni) begin
      if (!rst_ni) begin
        seed_q  <= '0;
        edges_q <= '0;
      end else begin
        edges_q <= edges_q + 32'd1;
        if (seed_valid) seed_q <= seed;
      end
    end
    assign seed_o[e]  = seed_q;
    assign edges_o[e] = edges_q;
  end
endmodule
