// Joins the control block (bus clock) with an engine on its own clock, both derived from the core clock: an
// instruction is handed over once, and every completion is reported once, however the edges fall. It also
// gates the engine's clock, which runs on the domain's ticks while the engine has work.
module engine_bridge (
  input  logic clk_i,        // core clock
  input  logic rst_ni,
  input  logic bus_tick_i,   // the control block has an edge at the end of this cycle
  input  logic tick_i,       // the engine may have an edge at the end of this cycle
  // Control block
  input  logic ctl_valid_i,
  output logic ctl_ready_o,
  output logic ctl_done_o,
  // Engine
  output logic eng_clk_o,
  output logic eng_fire_o,   // the engine has an edge at the end of this cycle
  output logic eng_valid_o,
  input  logic eng_ready_i,
  input  logic eng_done_i,
  input  logic eng_busy_i,
  input  logic eng_wake_i,   // something else waits for an edge of the engine
  output logic awake_o,      // the engine waits for its next edge
  output logic passing_o,    // something waits for the next edge of the control block
  output logic [5:0] oldest_o  // number of the oldest instruction in the engine, as it gets them
);

  logic       taken_q;
  logic [6:0] done_q;

  assign eng_valid_o = ctl_valid_i & ~taken_q;
  assign awake_o     = eng_busy_i | eng_done_i | eng_valid_o | eng_wake_i;
  assign eng_fire_o  = tick_i & awake_o;
  assign ctl_ready_o = taken_q;
  assign ctl_done_o  = done_q != '0;
  assign passing_o   = taken_q | ctl_done_o;

  // The clock of these registers runs only when one of them changes.
  logic change, state_clk;
  assign change = (eng_fire_o & (eng_done_i | (eng_valid_o & eng_ready_i))) | (bus_tick_i & passing_o);
  clock_gate u_state_gate (.clk_i, .en_i(change), .clk_o(state_clk));

  always_ff @(posedge state_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q  <= 1'b0;
      done_q   <= '0;
      oldest_o <= '0;
    end else begin
      if (eng_fire_o & eng_valid_o & eng_ready_i) taken_q <= 1'b1;
      else if (bus_tick_i) taken_q <= 1'b0;
      if (eng_fire_o & eng_done_i) oldest_o <= oldest_o + 1'b1;
      done_q <= done_q + {6'd0, eng_fire_o & eng_done_i} - {6'd0, bus_tick_i & ctl_done_o};
    end
  end

  clock_gate u_gate (.clk_i, .en_i(eng_fire_o), .clk_o(eng_clk_o));

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      DoneBounded: assert (done_q <= 7'd64);
      FireKnown: assert (!$isunknown(eng_fire_o));
    end
  end
  `endif

endmodule
