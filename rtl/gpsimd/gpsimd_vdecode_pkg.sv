// Decoder of vector arithmetic: each operation has a row, found by the category (funct3) and funct6.
package gpsimd_vdecode_pkg;


  import gpsimd_pkg::*;

  // The way in which the vector unit executes an operation.
  typedef enum logic [4:0] {
    VIllegal,
    VInt,         // element by element, a beat a cycle
    VFp,
    VDivide,      // element by element, Words elements at a time, a bit a cycle
    VFpDivide,
    VReduce,      // the result goes to element 0 of vd
    VFpReduce,    // the same for floats, in element order
    VMaskLogic,   // bits of mask registers
    VMaskSet,     // vmsbf, vmsif, vmsof
    VIota, VId,
    VToX,         // vmv.x.s, vfmv.f.s
    VCount,       // vcpop, vfirst
    VFromX,       // vmv.s.x, vfmv.s.f
    VSlideUp, VSlideDown, VSlide1Up, VSlide1Down,
    VGather,      // element by element, indices in vs1
    VGatherX,     // one index
    VCompress,
    VMoveRegister // vmv<n>r.v
  } vkind_e;

  // Integer operations on elements: x comes from vs2; y from vs1, the scalar or the immediate.
  typedef enum logic [5:0] {
    VAdd, VSub, VRsub, VMin, VMax, VAnd, VOr, VXor, VSll, VShr, VAdc, VSbc, VMadc, VMsbc, VMerge, VMseq, VMsne, VMslt,
    VMsle, VMsgt, VSadd, VSsub, VAadd, VAsub, VSmul, VSshr, VNclip, VMul, VMulh, VMacc, VNmsac, VMadd, VNmsub, VCopy
  } vop_e;

  // Bits of `forms`, the forms that an operation has: .vv, .vx (.vf), .vi.
  localparam logic [2:0] FormV = 3'b001;
  localparam logic [2:0] FormX = 3'b010;
  localparam logic [2:0] FormVX = 3'b011;
  localparam logic [2:0] FormXI = 3'b110;
  localparam logic [2:0] FormVXI = 3'b111;

  typedef struct packed {
    vkind_e     kind;
    vop_e       op;
    fp_op_e     fp;
    logic [2:0] forms;
    logic       signed_x, signed_y;  // how elements are extended
    logic       wide_d;              // vd has elements of 2 * SEW
    logic       wide_x;              // vs2 has elements of 2 * SEW
    logic [1:0] part;                // vs2 has elements of SEW >> part: vzext, vsext
    logic       mask_d;              // vd is a mask
    logic       adds;                // vd is also an operand
    logic       carry;               // v0 is an operand: carries, or the elements to merge
    logic       unsigned_imm;
    logic       truncates;           // rounds toward zero
  } vrow_t;

  function automatic vrow_t int_row(vop_e op, logic [2:0] forms, logic [1:0] signs);
    vrow_t row;
    row = '0;
    row.kind = VInt;
    row.op = op;
    row.forms = forms;
    row.signed_x = signs[1];
    row.signed_y = signs[0];
    return row;
  endfunction

  function automatic vrow_t other_row(vkind_e kind, vop_e op, logic [2:0] forms, logic is_signed);
    vrow_t row;
    row = int_row(op, forms, {2{is_signed}});
    row.kind = kind;
    return row;
  endfunction

  function automatic vrow_t compare_row(vop_e op, logic [2:0] forms, logic is_signed);
    vrow_t row;
    row = int_row(op, forms, {2{is_signed}});
    row.mask_d = 1'b1;
    return row;
  endfunction

  function automatic vrow_t shift_row(vop_e op, logic is_signed, logic narrow);
    vrow_t row;
    row = int_row(op, FormVXI, {is_signed, 1'b0});
    row.wide_x = narrow;
    row.unsigned_imm = 1'b1;
    return row;
  endfunction

  function automatic vrow_t carry_row(vop_e op, logic [2:0] forms, logic mask_d);
    vrow_t row;
    row = int_row(op, forms, 2'b00);
    row.carry = 1'b1;
    row.mask_d = mask_d;
    return row;
  endfunction

  // Operations with results of 2 * SEW. `shape`: bit 1, vs2 has that width too; bit 0, vd is added.
  function automatic vrow_t wide_row(vop_e op, logic [2:0] forms, logic [1:0] signs, logic [1:0] shape);
    vrow_t row;
    row = int_row(op, forms, signs);
    row.wide_d = 1'b1;
    row.wide_x = shape[1];
    row.adds = shape[0];
    return row;
  endfunction

  function automatic vrow_t add_row(vop_e op);
    vrow_t row;
    row = int_row(op, FormVX, 2'b00);
    row.adds = 1'b1;
    return row;
  endfunction

  function automatic vrow_t imm_row(vkind_e kind, logic [2:0] forms);
    vrow_t row;
    row = other_row(kind, VAdd, forms, 1'b0);
    row.unsigned_imm = 1'b1;
    return row;
  endfunction

  function automatic vrow_t integer_row(logic [5:0] funct6);  // OPI
    case (funct6)
      6'h00: return int_row(VAdd, FormVXI, 2'b11);
      6'h02: return int_row(VSub, FormVX, 2'b11);
      6'h03: return int_row(VRsub, FormXI, 2'b11);
      6'h04: return int_row(VMin, FormVX, 2'b00);
      6'h05: return int_row(VMin, FormVX, 2'b11);
      6'h06: return int_row(VMax, FormVX, 2'b00);
      6'h07: return int_row(VMax, FormVX, 2'b11);
      6'h09: return int_row(VAnd, FormVXI, 2'b11);
      6'h0a: return int_row(VOr, FormVXI, 2'b11);
      6'h0b: return int_row(VXor, FormVXI, 2'b11);
      6'h0c: return imm_row(VGather, FormVXI);
      6'h0e: return imm_row(VSlideUp, FormVXI);  // .vv is vrgatherei16
      6'h0f: return imm_row(VSlideDown, FormXI);
      6'h10: return carry_row(VAdc, FormVXI, 1'b0);
      6'h11: return carry_row(VMadc, FormVXI, 1'b1);
      6'h12: return carry_row(VSbc, FormVX, 1'b0);
      6'h13: return carry_row(VMsbc, FormVX, 1'b1);
      6'h17: return carry_row(VMerge, FormVXI, 1'b0);
      6'h18: return compare_row(VMseq, FormVXI, 1'b1);
      6'h19: return compare_row(VMsne, FormVXI, 1'b1);
      6'h1a: return compare_row(VMslt, FormVX, 1'b0);
      6'h1b: return compare_row(VMslt, FormVX, 1'b1);
      6'h1c: return compare_row(VMsle, FormVXI, 1'b0);
      6'h1d: return compare_row(VMsle, FormVXI, 1'b1);
      6'h1e: return compare_row(VMsgt, FormXI, 1'b0);
      6'h1f: return compare_row(VMsgt, FormXI, 1'b1);
      6'h20: return int_row(VSadd, FormVXI, 2'b00);
      6'h21: return int_row(VSadd, FormVXI, 2'b11);
      6'h22: return int_row(VSsub, FormVX, 2'b00);
      6'h23: return int_row(VSsub, FormVX, 2'b11);
      6'h25: return shift_row(VSll, 1'b0, 1'b0);
      6'h27: return int_row(VSmul, FormVXI, 2'b11);  // .vi is vmv<n>r.v
      6'h28: return shift_row(VShr, 1'b0, 1'b0);
      6'h29: return shift_row(VShr, 1'b1, 1'b0);
      6'h2a: return shift_row(VSshr, 1'b0, 1'b0);
      6'h2b: return shift_row(VSshr, 1'b1, 1'b0);
      6'h2c: return shift_row(VShr, 1'b0, 1'b1);
      6'h2d: return shift_row(VShr, 1'b1, 1'b1);
      6'h2e: return shift_row(VNclip, 1'b0, 1'b1);
      6'h2f: return shift_row(VNclip, 1'b1, 1'b1);
      6'h30, 6'h31: begin
        integer_row = other_row(VReduce, VAdd, FormV, funct6[0]);
        integer_row.wide_d = 1'b1;
      end
      default: return '0;
    endcase
  endfunction

  function automatic vrow_t multiply_row(logic [5:0] funct6, logic [4:0] vs1);  // OPM
    vrow_t row;
    row = '0;
    case (funct6)
      6'h00: row = other_row(VReduce, VAdd, FormV, 1'b1);
      6'h01: row = other_row(VReduce, VAnd, FormV, 1'b1);
      6'h02: row = other_row(VReduce, VOr, FormV, 1'b1);
      6'h03: row = other_row(VReduce, VXor, FormV, 1'b1);
      6'h04, 6'h05: row = other_row(VReduce, VMin, FormV, funct6[0]);
      6'h06, 6'h07: row = other_row(VReduce, VMax, FormV, funct6[0]);
      6'h08, 6'h09: row = int_row(VAadd, FormVX, {2{funct6[0]}});
      6'h0a, 6'h0b: row = int_row(VAsub, FormVX, {2{funct6[0]}});
      6'h0e: row = other_row(VSlide1Up, VAdd, FormX, 1'b1);
      6'h0f: row = other_row(VSlide1Down, VAdd, FormX, 1'b1);
      6'h10: row = other_row((vs1[4]) ? VCount : VToX, VAdd, FormVX, 1'b1);  // .vx is vmv.s.x
      6'h12: begin
        row = int_row(VCopy, FormV, {2{vs1[0]}});
        row.part = (vs1[2:1] == 2'd3) ? 2'd1 : 2'd2;
        if ((vs1[4:3] != '0) | ~vs1[2]) row.kind = VIllegal;
      end
      6'h14: begin
        case (vs1)
          5'd1, 5'd2, 5'd3: row = other_row(VMaskSet, VAdd, FormV, 1'b0);
          5'd16: row = other_row(VIota, VAdd, FormV, 1'b0);
          5'd17: row = other_row(VId, VAdd, FormV, 1'b0);
          default: ;
        endcase
      end
      6'h17: row = other_row(VCompress, VAdd, FormV, 1'b0);
      6'h18, 6'h19, 6'h1a, 6'h1b, 6'h1c, 6'h1d, 6'h1e, 6'h1f: row = other_row(VMaskLogic, VAdd, FormV, 1'b0);
      6'h20, 6'h21: row = other_row(VDivide, VAdd, FormVX, funct6[0]);
      6'h22, 6'h23: row = other_row(VDivide, VSub, FormVX, funct6[0]);  // the remainder
      6'h24: row = int_row(VMulh, FormVX, 2'b00);
      6'h25: row = int_row(VMul, FormVX, 2'b11);
      6'h26: row = int_row(VMulh, FormVX, 2'b10);
      6'h27: row = int_row(VMulh, FormVX, 2'b11);
      6'h29: row = add_row(VMadd);
      6'h2b: row = add_row(VNmsub);
      6'h2d: row = add_row(VMacc);
      6'h2f: row = add_row(VNmsac);
      6'h30, 6'h31: row = wide_row(VAdd, FormVX, {2{funct6[0]}}, 2'b00);
      6'h32, 6'h33: row = wide_row(VSub, FormVX, {2{funct6[0]}}, 2'b00);
      6'h34, 6'h35: row = wide_row(VAdd, FormVX, {2{funct6[0]}}, 2'b10);
      6'h36, 6'h37: row = wide_row(VSub, FormVX, {2{funct6[0]}}, 2'b10);
      6'h38: row = wide_row(VMul, FormVX, 2'b00, 2'b00);
      6'h3a: row = wide_row(VMul, FormVX, 2'b10, 2'b00);
      6'h3b: row = wide_row(VMul, FormVX, 2'b11, 2'b00);
      6'h3c: row = wide_row(VMacc, FormVX, 2'b00, 2'b01);
      6'h3d: row = wide_row(VMacc, FormVX, 2'b11, 2'b01);
      6'h3e: row = wide_row(VMacc, FormX, 2'b10, 2'b01);
      6'h3f: row = wide_row(VMacc, FormVX, 2'b01, 2'b01);
      default: ;
    endcase
    return row;
  endfunction

  function automatic vrow_t fp_row(vkind_e kind, fp_op_e fp, logic [2:0] forms);
    vrow_t row;
    row = '0;
    row.kind = kind;
    row.fp = fp;
    row.forms = forms;
    row.mask_d = (kind == VFp) & ((fp == FpEq) | (fp == FpNe) | (fp == FpLt) | (fp == FpLe) | (fp == FpGt) | (fp == FpGe));
    row.adds = (fp == FpMadd) | (fp == FpMsub) | (fp == FpNmsub) | (fp == FpNmadd);
    return row;
  endfunction

  // Decodes conversions by vs1: bits 4:3 tell single width, widening, narrowing.
  function automatic vrow_t convert_row(logic [4:0] vs1);
    vrow_t row;
    row = '0;
    case (vs1[2:0])
      3'd0, 3'd6: row = fp_row(VFp, FpToUint, FormV);
      3'd1, 3'd7: row = fp_row(VFp, FpToInt, FormV);
      3'd2: row = fp_row(VFp, FpFromUint, FormV);
      3'd3: row = fp_row(VFp, FpFromInt, FormV);
      default: ;
    endcase
    row.truncates = vs1[2];
    row.signed_x = vs1[0];
    row.wide_d = vs1[4:3] == 2'd1;
    row.wide_x = vs1[4:3] == 2'd2;
    // The float must be the wider one, because there are no floats of 16 or 64 bits.
    if ((vs1[4:3] == 2'd3) | (row.wide_d & (vs1[2:1] != 2'd1)) | (row.wide_x & (vs1[2:1] == 2'd1))) row.kind = VIllegal;
    return row;
  endfunction

  function automatic vrow_t float_row(logic [5:0] funct6, logic [4:0] vs1);  // OPF
    vrow_t row;
    row = '0;
    case (funct6)
      6'h00: row = fp_row(VFp, FpAdd, FormVX);
      6'h01: row = fp_row(VFpReduce, FpAdd, FormV);
      6'h02: row = fp_row(VFp, FpSub, FormVX);
      6'h03: row = fp_row(VFpReduce, FpAdd, FormV);
      6'h04: row = fp_row(VFp, FpMin, FormVX);
      6'h05: row = fp_row(VFpReduce, FpMin, FormV);
      6'h06: row = fp_row(VFp, FpMax, FormVX);
      6'h07: row = fp_row(VFpReduce, FpMax, FormV);
      6'h08: row = fp_row(VFp, FpSgnj, FormVX);
      6'h09: row = fp_row(VFp, FpSgnjn, FormVX);
      6'h0a: row = fp_row(VFp, FpSgnjx, FormVX);
      6'h0e: row = fp_row(VSlide1Up, FpMove, FormX);
      6'h0f: row = fp_row(VSlide1Down, FpMove, FormX);
      6'h10: row = fp_row(VToX, FpMove, FormVX);  // .vf is vfmv.s.f
      6'h12: row = convert_row(vs1);
      6'h13: begin
        case (vs1)
          5'd0: row = fp_row(VFpDivide, FpSqrt, FormV);
          5'd4: row = fp_row(VFp, FpRsqrt7, FormV);
          5'd5: row = fp_row(VFp, FpRec7, FormV);
          5'd16: row = fp_row(VFp, FpClass, FormV);
          default: ;
        endcase
      end
      6'h17: begin
        row = carry_row(VMerge, FormX, 1'b0);
      end
      6'h18: row = fp_row(VFp, FpEq, FormVX);
      6'h19: row = fp_row(VFp, FpLe, FormVX);
      6'h1b: row = fp_row(VFp, FpLt, FormVX);
      6'h1c: row = fp_row(VFp, FpNe, FormVX);
      6'h1d: row = fp_row(VFp, FpGt, FormX);
      6'h1f: row = fp_row(VFp, FpGe, FormX);
      6'h20: row = fp_row(VFpDivide, FpDiv, FormVX);
      6'h21: row = fp_row(VFpDivide, FpRdiv, FormX);
      6'h24: row = fp_row(VFp, FpMul, FormVX);
      6'h27: row = fp_row(VFp, FpRsub, FormX);
      6'h28, 6'h2c: row = fp_row(VFp, FpMadd, FormVX);
      6'h29, 6'h2d: row = fp_row(VFp, FpNmadd, FormVX);
      6'h2a, 6'h2e: row = fp_row(VFp, FpMsub, FormVX);
      6'h2b, 6'h2f: row = fp_row(VFp, FpNmsub, FormVX);
      default: ;
    endcase
    // vfmadd and its variants multiply by vd, vfmacc and its variants add it.
    row.op = funct6[2] ? VMacc : VMadd;
    if (funct6 == 6'h17) row.op = VMerge;
    return row;
  endfunction

  function automatic vrow_t vdecode(logic [31:0] insn);
    vrow_t      row;
    logic [2:0] form;
    logic       is_vv, is_vx;
    is_vv = insn[14:12] <= 3'd2;
    is_vx = (insn[14:12] >= 3'd4) & (insn[14:12] <= 3'd6);
    form = is_vv ? FormV : is_vx ? FormX : 3'b100;
    case (insn[14:12])
      3'd0, 3'd3, 3'd4: row = integer_row(insn[31:26]);
      3'd2, 3'd6: row = multiply_row(insn[31:26], insn[19:15]);
      3'd1, 3'd5: row = float_row(insn[31:26], insn[19:15]);
      default: row = '0;
    endcase
    if ((row.forms & form) == '0) row.kind = VIllegal;
    // Here the form decides the operation.
    if ((row.kind == VGather) & ~is_vv) row.kind = VGatherX;
    if ((row.kind == VSlideUp) & is_vv) row.kind = VGather;
    if (((row.kind == VToX) | (row.kind == VCount)) & is_vx) begin
      row.kind = (insn[24:20] == '0) ? VFromX : VIllegal;
    end
    if ((insn[31:26] == 6'h27) & (insn[14:12] == 3'd3)) row.kind = VMoveRegister;
    // Here an operand selects among the operations of a row.
    if ((row.kind == VToX) & (insn[19:15] != '0)) row.kind = VIllegal;
    if ((row.kind == VCount) & (insn[19:16] != 4'd8)) row.kind = VIllegal;
    return row;
  endfunction

endpackage
