// Registers around the tensor lane functions: decodes a stationary and a moving row, then one fused multiply-add of all
// columns with the moving operand of lane 0.
module tensor_lane_tb
  import fp32_lane_pkg::lanes_t;
  import tensor_lane_pkg::*;
(
    input  logic                clk_i,
    input  isa_pkg::dtype_e     dtype_i,
    input  logic                stationary_part_i,
    input  logic                moving_part_i,
    input  lanes_t              stationary_i,
    input  lanes_t              moving_i,
    input  cols_t               acc_i,
    output lanes_t              operands_o,
    output cols_t               result_o
);
  // verilator lint_off UNUSEDSIGNAL
  lanes_t moving;  // only lane 0 multiplies
  // verilator lint_on UNUSEDSIGNAL

  always_ff @(posedge clk_i) begin
    decode_row(operands_o, stationary_i, dtype_i, stationary_part_i);
    decode_row(moving, moving_i, dtype_i, moving_part_i);
    fma_row(result_o, operands_o[cfg_pkg::Cols-1:0], moving[0], acc_i);
  end
endmodule
