// Wave scope of one lane of a rounding unit: how the draw or half a unit rounds its result. It does the
// arithmetic of narrow_lane_pkg for every type at once: integers are a format of 23 fraction bits with 2^23
// as the smallest normal number.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
/* verilator tracing_off */
module rounding_lane_probe
  import isa_pkg::*;
(
  input logic [31:0] value_i,
  input logic [31:0] x_i,       // words of the lane's generator
  input logic [31:0] v_i,
  input logic [31:0] d_i,
  input dtype_e      dtype_i,
  input logic        draws_i,
  input logic [31:0] word_i,    // word written for the previous result
  input dtype_e      written_i  // type of that word
);

  logic [7:0] fraction_bits, rebias, depth;
  assign fraction_bits = (dtype_i == DtypeBf16)                          ? 8'd7
                       : (dtype_i == DtypeFp16) | (dtype_i == DtypeTf32) ? 8'd10
                       : (dtype_i == DtypeFp8E3m4)                       ? 8'd4
                       : (dtype_i == DtypeFp8E4m3)                       ? 8'd3
                       : (dtype_i == DtypeFp8E5m2)                       ? 8'd2 : 8'd23;
  assign rebias        = (dtype_i == DtypeFp16) | (dtype_i == DtypeFp8E5m2)                       ? 8'd112
                       : (dtype_i == DtypeFp8E3m4)                                                ? 8'd124
                       : (dtype_i == DtypeFp8E4m3)                                                ? 8'd120
                       : (dtype_i == DtypeBf16) | (dtype_i == DtypeTf32) | (dtype_i == DtypeFp32) ? 8'd0 : 8'd149;
  assign depth         = (value_i[30:23] > rebias) ? 8'd0 : rebias + 8'd1 - value_i[30:23];

  // The lowest bit that is kept, and the dropped bits as a fraction of it.
  logic        normal;
  logic [32:0] cut;
  assign normal = value_i[30:23] != '0;
  assign cut    = 33'({normal, value_i[22:0] & {23{normal}}, 32'b0} >> (8'd23 - fraction_bits + depth));

  logic [31:0] mixed;
  assign mixed = x_i ^ (x_i >> 2);

  /* verilator tracing_on */

  // The generator's next draw. The result is raised by one unit of the kept bits if the threshold is below
  // the dropped bits.
  logic [31:0] value, dropped, draw, threshold;
  logic        raised;
  logic [35:0] written;

  assign value     = value_i;
  assign dropped   = cut[31:0];
  assign draw      = (v_i ^ (v_i << 4) ^ mixed ^ (mixed << 1)) + d_i + xorwow_lane_pkg::CounterStep;
  assign threshold = draws_i ? draw : narrow_lane_pkg::HalfUnit - 32'(cut[32]);
  assign raised    = threshold < dropped;
  assign written   = {written_i, word_i};

endmodule
