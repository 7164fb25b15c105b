// Wave scope of four lanes of an operand. Each shows the element type (dtype code, in the upper four bits)
// and the memory word, shifted so that the element is in the lowest bits; the bits above belong to other
// elements. Plain expressions that are used once are evaluated only for a recording.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
/* verilator tracing_off */
module lanes_probe
  import isa_pkg::*;
(
  input logic [31:0] word_0_i,
  input logic [31:0] word_1_i,
  input logic [31:0] word_2_i,
  input logic [31:0] word_3_i,
  input logic [1:0]  offset_i,  // first byte of the element in the word
  input dtype_e      dtype_i
);
  /* verilator tracing_on */

  logic [35:0] lane_0, lane_1, lane_2, lane_3;

  assign lane_0 = {dtype_i, word_0_i >> {offset_i, 3'b0}};
  assign lane_1 = {dtype_i, word_1_i >> {offset_i, 3'b0}};
  assign lane_2 = {dtype_i, word_2_i >> {offset_i, 3'b0}};
  assign lane_3 = {dtype_i, word_3_i >> {offset_i, 3'b0}};

endmodule
