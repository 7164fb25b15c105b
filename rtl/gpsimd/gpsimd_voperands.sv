// Vector registers that a beat reads: x (vs2), y (vs1) and z (the destination). Slides read two neighbouring
// registers of vs2; gathers read the register of their index, and then the one that it selects.
module gpsimd_voperands
  import gpsimd_pkg::*;
  import gpsimd_vdecode_pkg::*;
(
  input  logic [31:0] insn_i,
  input  vrow_t       row_i,
  input  vtype_t      vtype_i,
  input  logic [1:0]  width_i,   // width of the elements in this operation
  input  vl_t         beat_i,    // or the element, if elements go one by one
  input  logic [31:0] scalar_i,
  input  vreg_t       y_data_i,  // register y_o, which holds the index of a gather

  output logic [4:0]  x_o,
  output logic [4:0]  y_o,
  output logic [4:0]  z_o,
  output logic        x_exists_o,  // the register of a slide is within the group
  output logic        y_exists_o,
  output logic [31:0] index_o      // index of a gather
);

  import gpsimd_vint_pkg::*;

  localparam int unsigned ByteBits = $clog2(Vbytes);

  logic [1:0] sew, narrower_x, narrower_y, index_width;
  logic [2:0] group_last;  // number of registers in a group, less one
  logic [4:0] direct_x;    // x_o except for gathers
  logic [31:0] source, distance, slide_registers, index_byte;
  assign sew = vtype_i.sew[1:0];
  assign narrower_x = row_i.wide_x ? 2'd0 : row_i.part + 2'(row_i.wide_d);
  assign narrower_y = width_i - sew;
  assign group_last = 3'(group_size(vtype_i.lmul) - 4'd1);
  assign index_width = (insn_i[31:26] == 6'h0e) ? 2'd1 : sew;
  assign index_byte = 32'(beat_i) << index_width;

  always_comb begin
    distance = ((row_i.kind == VSlide1Up) | (row_i.kind == VSlide1Down)) ? 32'd1 : scalar_i;
    slide_registers = (distance >= 32'(vlmax(vtype_i))) ? 32'd16 : (distance << sew) >> ByteBits;
    source = '0;
    x_exists_o = 1'b1;
    y_exists_o = 1'b1;
    direct_x = insn_i[24:20] + 5'(beat_i >> narrower_x);
    y_o = insn_i[19:15] + 5'(beat_i >> narrower_y);
    z_o = insn_i[11:7] + (row_i.mask_d ? 5'd0 : 5'(beat_i >> (row_i.wide_x & ~row_i.wide_d)));
    case (row_i.kind)
      VReduce: begin
        y_o = insn_i[19:15];
        z_o = insn_i[11:7];
      end
      VIota, VMaskLogic, VMaskSet, VCount, VToX: begin
        direct_x = insn_i[24:20];
        y_o = insn_i[19:15];
        if (row_i.kind != VIota) z_o = insn_i[11:7];
      end
      VSlideUp, VSlide1Up: begin
        source = 32'(beat_i) - slide_registers;
        direct_x = insn_i[24:20] + 5'(source - 32'd1);
        y_o = insn_i[24:20] + 5'(source);
        x_exists_o = (source - 32'd1) <= 32'(group_last);
        y_exists_o = source <= 32'(group_last);
      end
      VSlideDown, VSlide1Down: begin
        source = 32'(beat_i) + slide_registers;
        direct_x = insn_i[24:20] + 5'(source);
        y_o = insn_i[24:20] + 5'(source + 32'd1);
        x_exists_o = source <= 32'(group_last);
        y_exists_o = source + 32'd1 <= 32'(group_last);
      end
      VGatherX: direct_x = insn_i[24:20] + 5'((scalar_i << sew) >> ByteBits);
      VCompress, VFpReduce: begin
        direct_x = insn_i[24:20] + 5'((32'(beat_i) << sew) >> ByteBits);
        y_o = insn_i[19:15];
      end
      VGather: y_o = insn_i[19:15] + 5'(index_byte >> ByteBits);
      default: ;
    endcase
  end

  always_comb begin
    wide_t value;
    value = '0;
    if (row_i.kind == VGather) value = element(y_data_i >> {vbyte_t'(index_byte), 3'b0}, index_width, 0, 1'b0);
    index_o = value[31:0];
    x_o = (row_i.kind == VGather) ? insn_i[24:20] + 5'((index_o << sew) >> ByteBits) : direct_x;
  end

endmodule
