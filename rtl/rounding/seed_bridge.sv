// Hands a seed from the control block (bus clock) to an engine with a clock that may stand still. All clocks
// derive from the core clock: the seed is held until the engine has an edge, which eng_valid_o asks for. If
// several seeds come before that edge, the last one is used.
module seed_bridge (
  input  logic        clk_i,        // core clock
  input  logic        rst_ni,
  input  logic        bus_tick_i,   // the control block has an edge at the end of this cycle
  // Control block: a pulse of one bus cycle
  input  logic        ctl_valid_i,
  input  logic [31:0] ctl_seed_i,
  // Engine: valid until it has an edge at the end of a cycle with eng_fire_i
  output logic        eng_valid_o,
  output logic [31:0] eng_seed_o,
  input  logic        eng_fire_i
);

  logic        valid_q;
  logic [31:0] seed_q;

  // The clock of these registers runs only when one of them changes.
  logic state_clk;
  clock_gate u_state_gate (.clk_i, .en_i((bus_tick_i & ctl_valid_i) | (eng_fire_i & valid_q)), .clk_o(state_clk));

  always_ff @(posedge state_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      seed_q  <= '0;
    end else if (bus_tick_i & ctl_valid_i) begin
      valid_q <= 1'b1;
      seed_q  <= ctl_seed_i;
    end else if (eng_fire_i) begin
      valid_q <= 1'b0;
    end
  end

  assign eng_valid_o = valid_q;
  assign eng_seed_o  = seed_q;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      SeedKnown: assert (!$isunknown(eng_valid_o) && (!eng_valid_o || !$isunknown(eng_seed_o)));
    end
  end
  logic kept_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kept_q <= 1'b0;
    end else begin
      kept_q <= eng_valid_o && !eng_fire_i;
      SeedKept: assert (!kept_q || eng_valid_o);
    end
  end
  `endif

endmodule
