// The error-correcting code by itself.
module ecc_tb
  import ecc_pkg::*;
(
  input  logic [31:0] word_i,
  output logic [6:0]  check_o,
  input  logic [38:0] code_i,
  output logic [31:0] word_o,
  output logic        corrected_o,
  output logic        uncorrectable_o
);

  decoded_t decoded;
  assign check_o = check_of(word_i);
  assign decoded = decode(code_i);
  assign {word_o, corrected_o, uncorrectable_o} = decoded;

endmodule
