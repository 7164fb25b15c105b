// Decoder of scalar instructions, RV32IMF with Zicsr and Zifencei. For vector instructions it finds what the
// scalar side needs: operands and the result that it keeps; gpsimd_vdecode_pkg decodes the rest.
package gpsimd_decode_pkg;


  import gpsimd_pkg::*;

  localparam decoded_t Illegal = '0;

  function automatic decoded_t op(unit_e unit, imm_e imm, logic reads_x1, logic reads_x2, logic writes_x);
    decoded_t d;
    d = '0;
    d.unit = unit;
    d.imm = imm;
    d.use_imm = imm != ImmNone;
    d.reads_x1 = reads_x1;
    d.reads_x2 = reads_x2;
    d.writes_x = writes_x;
    d.alu = AluAdd;
    return d;
  endfunction

  // Returns the ALU operation of funct3, with bit 30 of the instruction where it matters.
  function automatic alu_op_e alu_op(logic [2:0] funct3, logic alternative);
    case (funct3)
      3'd0: return alternative ? AluSub : AluAdd;
      3'd1: return AluSll;
      3'd2: return AluSlt;
      3'd3: return AluSltu;
      3'd4: return AluXor;
      3'd5: return alternative ? AluSra : AluSrl;
      3'd6: return AluOr;
      default: return AluAnd;
    endcase
  endfunction

  function automatic decoded_t alu_immediate(logic [31:0] insn);
    decoded_t d;
    d = op(UnitAlu, ImmI, 1'b1, 1'b0, 1'b1);
    d.alu = alu_op(insn[14:12], insn[30] & (insn[14:12] == 3'd5));
    if ((insn[14:12] == 3'd1) & (insn[31:25] != '0)) return Illegal;
    if ((insn[14:12] == 3'd5) & ({insn[31], insn[29:25]} != '0)) return Illegal;
    return d;
  endfunction

  function automatic decoded_t alu_register(logic [31:0] insn);
    decoded_t d;
    d = op(UnitAlu, ImmNone, 1'b1, 1'b1, 1'b1);
    d.alu = alu_op(insn[14:12], insn[30]);
    case (insn[31:25])
      7'h00: return d;
      7'h20: return (insn[14:12] == 3'd0) | (insn[14:12] == 3'd5) ? d : Illegal;
      7'h01: d.unit = insn[14] ? UnitDiv : UnitMul;
      default: return Illegal;
    endcase
    return d;
  endfunction

  function automatic decoded_t system(logic [31:0] insn);
    if (insn[14:12] == 3'd0) begin
      case (insn)
        32'h0000_0073, 32'h0010_0073, 32'h3020_0073, 32'h1050_0073: return op(UnitSystem, ImmNone, 1'b0, 1'b0, 1'b0);
        default: return Illegal;
      endcase
    end
    if (insn[13:12] == 2'd0) return Illegal;
    return op(UnitCsr, insn[14] ? ImmZ : ImmNone, ~insn[14], 1'b0, 1'b1);
  endfunction

  // Decodes a floating-point operation. `ints`: bit 0, the first operand is an integer; bit 1, the result is.
  function automatic decoded_t fp_op(fp_op_e fp, logic two, logic [1:0] ints, logic rounds, logic [2:0] rm);
    decoded_t d;
    d = op(UnitFpu, ImmNone, ints[0], 1'b0, ints[1]);
    d.fp = fp;
    d.reads_f1 = ~ints[0];
    d.reads_f2 = two;
    d.writes_f = ~ints[1];
    d.needs_fs = 1'b1;
    d.rounds = rounds;
    return (rounds & ((rm == 3'd5) | (rm == 3'd6))) ? Illegal : d;
  endfunction

  function automatic decoded_t fp_fused(logic [31:0] insn);
    decoded_t d;
    fp_op_e   fp;
    case (insn[3:2])
      2'd0: fp = FpMadd;
      2'd1: fp = FpMsub;
      2'd2: fp = FpNmsub;
      default: fp = FpNmadd;
    endcase
    d = fp_op(fp, 1'b1, 2'b00, 1'b1, insn[14:12]);
    d.reads_f3 = d.unit != UnitIllegal;
    return (insn[26:25] == 2'd0) ? d : Illegal;
  endfunction

  function automatic decoded_t fp_register(logic [31:0] insn);
    logic [2:0] rm;
    logic       no_rs2;
    rm = insn[14:12];
    no_rs2 = insn[24:20] == '0;
    case (insn[31:25])
      7'h00: return fp_op(FpAdd, 1'b1, 2'b00, 1'b1, rm);
      7'h04: return fp_op(FpSub, 1'b1, 2'b00, 1'b1, rm);
      7'h08: return fp_op(FpMul, 1'b1, 2'b00, 1'b1, rm);
      7'h0c: return fp_op(FpDiv, 1'b1, 2'b00, 1'b1, rm);
      7'h2c: return no_rs2 ? fp_op(FpSqrt, 1'b0, 2'b00, 1'b1, rm) : Illegal;
      7'h10: begin
        case (rm)
          3'd0: return fp_op(FpSgnj, 1'b1, 2'b00, 1'b0, rm);
          3'd1: return fp_op(FpSgnjn, 1'b1, 2'b00, 1'b0, rm);
          3'd2: return fp_op(FpSgnjx, 1'b1, 2'b00, 1'b0, rm);
          default: return Illegal;
        endcase
      end
      7'h14: return (rm[2:1] != '0) ? Illegal : fp_op(rm[0] ? FpMax : FpMin, 1'b1, 2'b00, 1'b0, rm);
      7'h50: begin
        case (rm)
          3'd0: return fp_op(FpLe, 1'b1, 2'b10, 1'b0, rm);
          3'd1: return fp_op(FpLt, 1'b1, 2'b10, 1'b0, rm);
          3'd2: return fp_op(FpEq, 1'b1, 2'b10, 1'b0, rm);
          default: return Illegal;
        endcase
      end
      7'h60: return (insn[24:21] != '0) ? Illegal : fp_op(insn[20] ? FpToUint : FpToInt, 1'b0, 2'b10, 1'b1, rm);
      7'h68: return (insn[24:21] != '0) ? Illegal : fp_op(insn[20] ? FpFromUint : FpFromInt, 1'b0, 2'b01, 1'b1, rm);
      7'h70: return (rm[2:1] != '0) | ~no_rs2 ? Illegal : fp_op(rm[0] ? FpClass : FpMove, 1'b0, 2'b10, 1'b0, rm);
      7'h78: return (rm != '0) | ~no_rs2 ? Illegal : fp_op(FpMove, 1'b0, 2'b01, 1'b0, rm);
      default: return Illegal;
    endcase
  endfunction

  // funct3 of loads and stores between memory and vector registers: 8, 16 and 32 bits. 64 bits exceed ELEN.
  function automatic decoded_t fp_or_vector_memory(logic [31:0] insn, logic store);
    decoded_t d;
    d = op(store ? UnitStore : UnitLoad, store ? ImmS : ImmI, 1'b1, 1'b0, 1'b0);
    case (insn[14:12])
      3'd2: begin
        d.reads_f2 = store;
        d.writes_f = ~store;
        d.needs_fs = 1'b1;
      end
      3'd0, 3'd5, 3'd6: begin
        d = op(UnitVmem, ImmNone, 1'b1, insn[27:26] == 2'b10, 1'b0);
      end
      default: return Illegal;
    endcase
    return d;
  endfunction

  // Decodes OP-V: configuration, and arithmetic by the category in funct3.
  function automatic decoded_t vector_op(logic [31:0] insn);
    decoded_t d;
    d = op(UnitVector, ImmNone, 1'b0, 1'b0, 1'b0);
    case (insn[14:12])
      3'd1: begin  // OPFVV; vfmv.f.s has a scalar result
        d.needs_fs = 1'b1;
        d.writes_f = insn[31:26] == 6'h10;
      end
      3'd2: d.writes_x = insn[31:26] == 6'h10;  // OPMVV; vmv.x.s, vcpop.m, vfirst.m
      3'd4, 3'd6: d.reads_x1 = 1'b1;
      3'd5: begin
        d.needs_fs = 1'b1;
        d.reads_f1 = 1'b1;
      end
      3'd7: begin
        d = op(UnitVset, ImmNone, ~(insn[31] & insn[30]), insn[31] & ~insn[30], 1'b1);
        if (insn[31] & ~insn[30] & (insn[29:25] != '0)) return Illegal;
      end
      default: ;
    endcase
    return d;
  endfunction

  function automatic decoded_t decode(logic [31:0] insn);
    decoded_t d;
    logic [2:0] funct3;
    funct3 = insn[14:12];
    case (insn[6:0])
      7'h37: begin
        d = op(UnitAlu, ImmU, 1'b0, 1'b0, 1'b1);
        d.alu = AluCopy;
      end
      7'h17: begin
        d = op(UnitAlu, ImmU, 1'b0, 1'b0, 1'b1);
        d.use_pc = 1'b1;
      end
      7'h6f: d = op(UnitJump, ImmJ, 1'b0, 1'b0, 1'b1);
      7'h67: d = (funct3 == 3'd0) ? op(UnitJump, ImmI, 1'b1, 1'b0, 1'b1) : Illegal;
      7'h63: d = (funct3[2:1] == 2'd1) ? Illegal : op(UnitBranch, ImmB, 1'b1, 1'b1, 1'b0);
      7'h03: d = (funct3 == 3'd3) | (funct3[2:1] == 2'd3) ? Illegal : op(UnitLoad, ImmI, 1'b1, 1'b0, 1'b1);
      7'h23: d = (funct3 > 3'd2) ? Illegal : op(UnitStore, ImmS, 1'b1, 1'b1, 1'b0);
      7'h13: d = alu_immediate(insn);
      7'h33: d = alu_register(insn);
      7'h0f: d = (funct3[2:1] == 2'd0) ? op(UnitFence, ImmNone, 1'b0, 1'b0, 1'b0) : Illegal;
      7'h73: d = system(insn);
      7'h07: d = fp_or_vector_memory(insn, 1'b0);
      7'h27: d = fp_or_vector_memory(insn, 1'b1);
      7'h43, 7'h47, 7'h4b, 7'h4f: d = fp_fused(insn);
      7'h53: d = fp_register(insn);
      7'h57: d = vector_op(insn);
      default: d = Illegal;
    endcase
    return d;
  endfunction

  function automatic logic [31:0] immediate(imm_e imm, logic [31:0] insn);
    case (imm)
      ImmI: return {{20{insn[31]}}, insn[31:20]};
      ImmS: return {{20{insn[31]}}, insn[31:25], insn[11:7]};
      ImmB: return {{20{insn[31]}}, insn[7], insn[30:25], insn[11:8], 1'b0};
      ImmU: return {insn[31:12], 12'b0};
      ImmJ: return {{12{insn[31]}}, insn[19:12], insn[20], insn[30:21], 1'b0};
      ImmZ: return {27'b0, insn[19:15]};
      default: return '0;
    endcase
  endfunction

endpackage
