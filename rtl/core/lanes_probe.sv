// Wave scope of four lanes of an operand: each shows its element type (dtype code in the upper four bits) and the element, cut
// out of the memory word it lies in. Plain expressions, no function calls: the simulator evaluates them only for a recording.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
/* verilator tracing_off */
module lanes_probe
  import isa_pkg::*;
(
  input logic [31:0] word_0_i,
  input logic [31:0] word_1_i,
  input logic [31:0] word_2_i,
  input logic [31:0] word_3_i,
  input logic [1:0]  offset_i,  // of the element's first byte in the word
  input dtype_e      dtype_i
);

  logic        bytes, halves;
  logic [31:0] mask;
  /* verilator tracing_on */
  logic [35:0] lane_0, lane_1, lane_2, lane_3;
  /* verilator tracing_off */

  assign bytes  = (dtype_i == DtypeI8) | (dtype_i == DtypeU8) | (dtype_i == DtypeFp8E3m4) | (dtype_i == DtypeFp8E4m3) |
                  (dtype_i == DtypeFp8E5m2);
  assign halves = (dtype_i == DtypeI16) | (dtype_i == DtypeU16) | (dtype_i == DtypeBf16) | (dtype_i == DtypeFp16);
  assign mask   = bytes ? 32'hff : halves ? 32'hffff : '1;
  assign lane_0 = {dtype_i, (word_0_i >> {offset_i, 3'b0}) & mask};
  assign lane_1 = {dtype_i, (word_1_i >> {offset_i, 3'b0}) & mask};
  assign lane_2 = {dtype_i, (word_2_i >> {offset_i, 3'b0}) & mask};
  assign lane_3 = {dtype_i, (word_3_i >> {offset_i, 3'b0}) & mask};

endmodule
/* verilator tracing_on */
