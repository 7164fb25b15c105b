// Counts the activities of the engines, in cycles of their own clocks: 64-bit counters, which wrap.
module engine_counters
  import core_pkg::*;
  import isa_pkg::*;
(
  input  logic clk_i,  // core clock
  input  logic rst_ni,
  input  logic bus_tick_i,  // the control block has an edge at the end of this cycle

  // Valid in the cycle before an edge of the engine's clock: the engine has work; activities of the Tensor
  // engine.
  input  logic [Engines-1:0]    busy_i,
  input  logic                  tensor_fire_i,
  /* verilator lint_off UNUSEDSIGNAL */  // idle is the opposite of busy
  input  tensor_pkg::activity_t tensor_i,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic        clear_i,   // pulse: all counters start again at 0
  input  counter_e    select_i,
  output logic [63:0] value_o    // value from before the last edge of the bus clock
);

  // The simulation wrapper reads the counters as well.
  logic [63:0] count_q [Counters] /* verilator public_flat_rd */;

  logic [Counters-1:0] step;
  always_comb begin
    step = Counters'(busy_i);
    step[CounterMatmul]     = tensor_fire_i & tensor_i.matmul;
    step[CounterFastLoad]   = tensor_fire_i & tensor_i.load_fast;
    step[CounterNormalLoad] = tensor_fire_i & tensor_i.load_normal;
  end

  // The clocks of these registers run only when they may change.
  logic count_clk, seen_clk;
  clock_gate u_count_gate (.clk_i, .en_i(clear_i | (step != '0)), .clk_o(count_clk));
  clock_gate u_seen_gate (.clk_i, .en_i(bus_tick_i), .clk_o(seen_clk));

  always_ff @(posedge count_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned c = 0; c < Counters; c++) count_q[c] <= '0;
    end else begin
      for (int unsigned c = 0; c < Counters; c++) count_q[c] <= clear_i ? '0 : count_q[c] + 64'(step[c]);
    end
  end

  // A copy for readers, so that nothing in the bus clock domain follows every count.
  logic [63:0] seen_q [Counters];

  always_ff @(posedge seen_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned c = 0; c < Counters; c++) seen_q[c] <= '0;
    end else begin
      for (int unsigned c = 0; c < Counters; c++) seen_q[c] <= count_q[c];
    end
  end

  assign value_o = seen_q[select_i];

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneLoad: assert (!(step[CounterFastLoad] && step[CounterNormalLoad]));
      WorkIsBusy: assert (!(step[CounterMatmul] || step[CounterFastLoad] || step[CounterNormalLoad]) || busy_i[EngineTensor]);
    end
  end
  `endif

endmodule
