// The ALU operations of all lanes with a register for the result.
module vector_alu_tb
  import core_pkg::*;
(
  input  logic             clk_i,
  input  isa_pkg::alu_op_e op_i,
  input  row_t             x_i,
  input  row_t             y_i,
  output row_t             result_o
);
  always_ff @(posedge clk_i) vector_alu_pkg::alu_row(result_o, op_i, x_i, y_i);
endmodule
