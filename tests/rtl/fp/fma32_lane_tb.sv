// Registers around the fp32 fused multiply-add of a row.
module fma32_lane_tb
  import fp32_lane_pkg::lanes_t;
  import fma32_lane_pkg::*;
(
    input  logic   clk_i,
    input  lanes_t a_i,
    input  lanes_t b_i,
    input  lanes_t c_i,
    output lanes_t result_o
);
  always_ff @(posedge clk_i) fma_row(result_o, a_i, b_i, c_i);
endmodule
