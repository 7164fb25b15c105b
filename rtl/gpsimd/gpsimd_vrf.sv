// Vector registers: in a cycle they serve four reads of a register, a read of the mask in v0, a write of bytes
// of a register by an operation and one by a load.
module gpsimd_vrf
  import gpsimd_pkg::*;
(
  input  logic       clk_i,
  input  logic [4:0] x_register_i,
  input  logic [4:0] y_register_i,
  input  logic [4:0] z_register_i,
  input  logic [4:0] store_register_i,
  output vreg_t      x_o,
  output vreg_t      y_o,
  output vreg_t      z_o,
  output vreg_t      store_o,
  output vreg_t      mask_o,  // v0
  input  logic       write_i,
  input  logic [4:0] register_i,
  input  vreg_t      data_i,
  input  vmask_t     enable_i,
  input  logic       load_i,
  input  logic [4:0] load_register_i,
  input  vreg_t      load_data_i,
  input  vmask_t     load_enable_i
);

  vreg_t registers_q [32];

  assign x_o     = registers_q[x_register_i];
  assign y_o     = registers_q[y_register_i];
  assign z_o     = registers_q[z_register_i];
  assign store_o = registers_q[store_register_i];
  assign mask_o  = registers_q[0];

  beat_words_t merged, loaded;
  always_comb begin
    merged = '0;
    loaded = '0;
    if (write_i) merge(merged, beat_t'(registers_q[register_i]), beat_t'(data_i), strobe_t'(enable_i));
    if (load_i) merge(loaded, beat_t'(registers_q[load_register_i]), beat_t'(load_data_i), strobe_t'(load_enable_i));
  end

  always_ff @(posedge clk_i) begin
    if (write_i) registers_q[register_i] <= vreg_t'(merged);
    if (load_i) registers_q[load_register_i] <= vreg_t'(loaded);
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    WriteKnown: assert (!$isunknown({write_i, load_i}));
    OneWriterOfARegister: assert (!(write_i && load_i && register_i == load_register_i));
  end
  `endif

endmodule
