// A beat of a vector instruction: from operand registers to the bytes of a destination register.
//
// Everything here is computed in one cycle; gpsimd_vector keeps readers from the results for as many cycles
// as a pipeline has stages.
module gpsimd_vbeat
  import gpsimd_pkg::*;
  import gpsimd_vdecode_pkg::*;
(
  // The instruction; nothing is computed without valid_i.
  input  logic        valid_i,
  input  vrow_t       row_i,
  input  logic [31:0] insn_i,
  input  vstate_t     vstate_i,
  input  logic [31:0] scalar_i,

  // The beat: number of its first element, operands, v0, and the value carried from earlier beats
  // (reductions, vcompress, viota).
  input  logic        first_i,
  input  vl_t         base_i,
  input  vl_t         beat_i,
  input  logic [1:0]  width_i,     // width of the elements in this operation
  input  vreg_t       x_i,
  input  vreg_t       y_i,
  input  vreg_t       z_i,         // old contents of the destination
  input  vreg_t       mask_i,
  input  vmask_t      active_i,
  input  logic [31:0] carried_i,
  input  vreg_t       divided_i,   // result of the divider
  input  fflags_t     divided_flags_i,

  output vreg_t       value_o,
  output vmask_t      enable_o,
  output fflags_t     flags_o,
  output logic        saturated_o,
  output logic [31:0] carried_o
);

  import gpsimd_vint_pkg::*;
  import gpsimd_vmask_pkg::*;

  logic [1:0] sew;
  assign sew = vstate_i.vtype.sew[1:0];

  // Operands, widened to the width of the operation.
  vreg_t      x, y;
  logic       is_vv;
  logic [1:0] narrower_x;  // log2 of how much narrower vs2's elements are than the operation
  assign is_vv = insn_i[14:12] <= 3'd2;
  assign narrower_x = row_i.wide_x ? 2'd0 : row_i.part + 2'(row_i.wide_d);

  always_comb begin
    x = x_i;
    y = y_i;
    if (valid_i) begin
      if (!is_vv) y = splat(scalar_i, sew);
      if (narrower_x != 2'd0) begin
        widen(x, x_i, width_i - narrower_x, width_i, 2'(beat_i) & ~(2'd3 << narrower_x), row_i.signed_x);
      end
      if (width_i != sew && row_i.kind == VInt) begin
        widen(y, is_vv ? y_i : splat(scalar_i, sew), sew, width_i, is_vv ? {1'b0, beat_i[0]} : 2'd0, row_i.signed_y);
      end
    end
  end

  // Elements: integer and floating point, with bits for a mask.
  vreg_t     value;
  vmask_t    truth, carry;
  vcontrol_t control;
  vreg_t     shifted_mask;
  assign control = '{op: row_i.op, is_signed: row_i.signed_x, vxrm: vstate_i.vxrm};
  assign shifted_mask = (valid_i & ~insn_i[25]) ? mask_i >> base_i : '0;
  assign carry = insn_i[25] ? {Vbytes{row_i.op == VMerge}} : shifted_mask[Vbytes-1:0];

  logic [2:0] rm;
  logic [5:0] int_bits;
  assign rm = row_i.truncates ? 3'(RoundZero) : vstate_i.frm;
  assign int_bits = 6'd8 << sew;

  vreg_t       moved;
  logic [31:0] element0;

  // One shifter serves all slides: it takes bytes of two neighbouring registers.
  logic [31:0] distance, bytes_apart;
  logic        far, up;
  assign up = (row_i.kind == VSlideUp) | (row_i.kind == VSlide1Up);
  assign distance = ((row_i.kind == VSlide1Up) | (row_i.kind == VSlide1Down)) ? 32'd1 : scalar_i;
  assign far = distance >= 32'(vlmax(vstate_i.vtype));
  assign bytes_apart = distance << sew;

  function automatic vreg_t slide(vreg_t low, vreg_t high, logic up_not_down, vbyte_t by);
    logic [2*Vlen-1:0] both;
    both = {high, low};
    both = up_not_down ? both << {by, 3'b0} : both >> {by, 3'b0};
    return up_not_down ? both[Vlen+:Vlen] : both[0+:Vlen];
  endfunction

  vmask_t slide_active;
  vl_t    last_element;
  assign last_element = vstate_i.vl - vl_t'(1);

  always_comb begin
    vmask_t inserted;
    value_o = '0;
    enable_o = '0;
    flags_o = '0;
    saturated_o = 1'b0;
    carried_o = carried_i;
    value = '0;
    truth = '0;
    moved = '0;
    element0 = '0;
    slide_active = '0;
    inserted = '0;
    if (valid_i) begin
      case (row_i.kind)
        VInt, VFp, VDivide, VFpDivide: begin
          if (row_i.kind == VInt) begin
            case (width_i)
              2'd0: operate_8(value, truth, saturated_o, control, row_i.signed_x, row_i.signed_y, x, y, z_i, carry, active_i);
              2'd1: operate_16(value, truth, saturated_o, control, row_i.signed_x, row_i.signed_y, x, y, z_i, carry, active_i);
              default: operate_32(value, truth, saturated_o, control, row_i.signed_x, row_i.signed_y, x, y, z_i, carry, active_i);
            endcase
          end else if (row_i.kind == VFp) begin
            gpsimd_vfp_pkg::operate(value, truth, flags_o, row_i.fp, row_i.op == VMadd, rm, int_bits, x, y, z_i, active_i);
          end else begin
            value = divided_i;
            flags_o = divided_flags_i;
          end
          if (row_i.mask_d) begin
            // The bits of the beat replace old bits of one register.
            moved = vreg_t'(active_i) << base_i;
            value_o = (z_i & ~moved) | ((vreg_t'(truth) << base_i) & moved);
            enable_o = '1;
          end else if (row_i.wide_x && !row_i.wide_d) begin
            narrow(value_o, value, sew);
            enable_o = bytes_of(active_i, sew) << (beat_i[0] ? Vbytes / 2 : 0);
          end else begin
            value_o = value;
            enable_o = bytes_of(active_i, width_i);
          end
        end
        VReduce: begin
          element0 = 32'(element(y_i, width_i, 0, 1'b0));
          carried_o = reduce(row_i.op, row_i.signed_x, width_i, first_i ? element0 : carried_i, x, active_i);
          value_o = vreg_t'(carried_o);
          enable_o = bytes_of(vmask_t'(1), width_i);
        end
        VMaskLogic, VMaskSet: begin
          moved = bits_between('0, vstate_i.vl) & (insn_i[25] ? '1 : mask_i);
          value_o = (row_i.kind == VMaskLogic) ? logic_row(insn_i[28:26], x_i, y_i) : set_row(insn_i[16:15], x_i & moved);
          value_o = (value_o & moved) | (z_i & ~moved);
          enable_o = '1;
        end
        VIota: begin
          moved = x_i >> base_i;
          iota_row(value_o, carried_o, first_i ? '0 : carried_i, moved[Vbytes-1:0] & active_i, sew);
          enable_o = bytes_of(active_i, sew);
        end
        VId: begin
          iota_row(value_o, element0, 32'(base_i), '1, sew);
          enable_o = bytes_of(active_i, sew);
        end
        VToX: begin
          moved = x_i;
          carried_o = 32'(element(x_i, sew, 0, 1'b1));
        end
        VCount: begin
          moved = x_i & bits_between('0, vstate_i.vl) & (insn_i[25] ? '1 : mask_i);
          carried_o = insn_i[15] ? first_one(moved) : count_ones(moved);
        end
        VFromX: begin
          value_o = splat(scalar_i, sew);
          enable_o = bytes_of(vmask_t'(1), sew);
        end
        VSlideUp, VSlideDown, VSlide1Up, VSlide1Down: begin
          if (!far) value_o = slide(x_i, y_i, up, vbyte_t'(bytes_apart));
          slide_active = active_i;
          if (row_i.kind == VSlideUp) begin
            slide_active &= far ? '0 : elements_between(vl_t'(distance), vl_t'(Vlen), base_i);
          end
          if (row_i.kind == VSlide1Up) inserted = elements_between('0, vl_t'(1), base_i);
          if (row_i.kind == VSlide1Down) inserted = elements_between(last_element, vstate_i.vl, base_i);
          inserted = bytes_of(inserted, sew);
          for (int unsigned k = 0; k < Vbytes; k++) begin
            if (inserted[k]) value_o[8*k+:8] = scalar_i[8*(k&((32'd1<<sew)-1))+:8];
          end
          enable_o = bytes_of(slide_active, sew);
        end
        VGatherX: begin
          moved = x_i >> {vbyte_t'(bytes_apart), 3'b0};
          value_o = far ? '0 : splat(moved[31:0], sew);
          enable_o = bytes_of(active_i, sew);
        end
        VMoveRegister: begin
          value_o = x_i;
          enable_o = bytes_of(active_i, sew);
        end
        default: ;
      endcase
    end
  end

endmodule
