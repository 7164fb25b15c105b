// A place for an engine in the core. It hands over instructions and seeds across the clocks, reports
// completions, and gates the engine's clock, which runs on the domain's ticks while the engine has work.
module engine_slot #(
  parameter bit Seeded = 1'b0  // the engine has generators for stochastic rounding
) (
  input  logic        clk_i,          // core clock
  input  logic        rst_ni,
  input  logic        bus_tick_i,     // the control block has an edge at the end of this cycle
  input  logic        tick_i,         // the engine may have an edge at the end of this cycle
  // Control block: an instruction until it is taken, completions, a seed for one bus cycle
  input  logic        valid_i,
  output logic        ready_o,
  output logic        done_o,
  input  logic        seed_valid_i,
  input  logic [31:0] seed_i,
  // Engine
  output logic        engine_clk_o,
  output logic        engine_fire_o,  // the engine has an edge at the end of this cycle
  output logic        engine_valid_o,
  input  logic        engine_ready_i,
  input  logic        engine_done_i,
  input  logic        engine_busy_i,
  input  logic        engine_wake_i,  // something else needs an edge of the engine
  output logic        engine_seed_valid_o,
  output logic [31:0] engine_seed_o,
  output logic        awake_o,        // the engine waits for its next edge
  output logic        passing_o,      // something waits for the next edge of the control block
  output core_pkg::number_t oldest_o   // number of the oldest instruction in the engine, as it gets them
);

  engine_bridge u_bridge (
    .clk_i, .rst_ni, .bus_tick_i, .tick_i, .ctl_valid_i(valid_i), .ctl_ready_o(ready_o), .ctl_done_o(done_o),
    .eng_clk_o(engine_clk_o), .eng_fire_o(engine_fire_o), .eng_valid_o(engine_valid_o), .eng_ready_i(engine_ready_i),
    .eng_done_i(engine_done_i), .eng_busy_i(engine_busy_i), .eng_wake_i(engine_seed_valid_o | engine_wake_i), .awake_o, .passing_o, .oldest_o
  );

  if (Seeded) begin : g_seed
    seed_bridge u_seed (
      .clk_i, .rst_ni, .bus_tick_i, .ctl_valid_i(seed_valid_i), .ctl_seed_i(seed_i),
      .eng_valid_o(engine_seed_valid_o), .eng_seed_o(engine_seed_o), .eng_fire_i(engine_fire_o)
    );
  end else begin : g_no_seed
    /* verilator lint_off UNUSEDSIGNAL */
    logic unused_seed;
    assign unused_seed = seed_valid_i ^ (^seed_i);
    /* verilator lint_on UNUSEDSIGNAL */
    assign engine_seed_valid_o = 1'b0;
    assign engine_seed_o       = '0;
  end

endmodule
