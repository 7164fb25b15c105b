// Vector registers: in a cycle they serve three reads of a register, a read of the mask in v0, and one write
// of bytes of a register.
module gpsimd_vrf
  import gpsimd_pkg::*;
(
  input  logic            clk_i,
  input  logic [4:0]      x_register_i,
  input  logic [4:0]      y_register_i,
  input  logic [4:0]      z_register_i,
  output vreg_t      x_o,
  output vreg_t      y_o,
  output vreg_t      z_o,
  output vreg_t      mask_o,  // v0
  input  logic            write_i,
  input  logic [4:0]      register_i,
  input  vreg_t           data_i,
  input  vmask_t          enable_i
);

  vreg_t registers_q [32];

  assign x_o    = registers_q[x_register_i];
  assign y_o    = registers_q[y_register_i];
  assign z_o    = registers_q[z_register_i];
  assign mask_o = registers_q[0];

  beat_words_t merged;
  always_comb begin
    merged = '0;
    if (write_i) merge(merged, beat_t'(registers_q[register_i]), beat_t'(data_i), strobe_t'(enable_i));
  end

  always_ff @(posedge clk_i) begin
    if (write_i) registers_q[register_i] <= vreg_t'(merged);
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    WriteKnown: assert (!$isunknown(write_i));
  end
  `endif

endmodule
