// The checks of the Vector engine: it refuses what the sequencer's checks of opcode, types, address patterns
// and partitions do not cover.
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole instructions and look at some fields
package vector_check_pkg;

  import cfg_pkg::*;
  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
  import vector_pkg::*;
  import vector_decode_pkg::*;

  function automatic logic is_integer(dtype_e dtype);
    case (dtype)
      DtypeI8, DtypeU8, DtypeI16, DtypeU16, DtypeI32, DtypeU32: return 1'b1;
      default: return 1'b0;
    endcase
  endfunction

  function automatic logic same_width_integers(dtype_e x, dtype_e y);
    return is_integer(x) & is_integer(y) & (dtype_size(x) == dtype_size(y));
  endfunction

  // Operations on fp32 values, including bypass.
  function automatic logic is_arithmetic(alu_op_e op);
    return (6'(op) <= 6'(AluOpRelu)) & ~is_bit_operation(op) & (op != AluOpRsqrt) & (op != AluOpPower);
  endfunction

  // Operations that reductions support, on fp32 values and on bits.
  function automatic logic reduces(alu_op_e op);
    case (op)
      AluOpAdd, AluOpSubtract, AluOpMultiply, AluOpMax, AluOpMin, AluOpAbsMax, AluOpAbsMin,
      AluOpLogicalAnd, AluOpLogicalOr, AluOpLogicalXor: return 1'b1;
      default: return 1'b0;
    endcase
  endfunction

  function automatic logic reduces_bits(alu_op_e op);
    return (op == AluOpBitwiseAnd) | (op == AluOpBitwiseOr) | (op == AluOpBitwiseXor);
  endfunction

  // Both operations must be arithmetic or bypass, or both bit operations or bypass.
  function automatic logic agree(alu_op_e op0, alu_op_e op1);
    logic raw0, raw1;
    raw0 = is_bit_operation(op0);
    raw1 = is_bit_operation(op1);
    if (raw0 | raw1) return (raw0 | (op0 == AluOpBypass)) & (raw1 | (op1 == AluOpBypass));
    return is_arithmetic(op0) & is_arithmetic(op1);
  endfunction

  // Checks the operation fields: those that the opcode does not use must be 0. Reductions take their operands
  // only in order.
  function automatic logic operations_allowed(binary_t instr);
    logic no_op0, no_op1;
    no_op0 = (instr.op0 == AluOpBypass) & ~instr.reverse0;
    no_op1 = (instr.op1 == AluOpBypass) & ~instr.reverse1;
    case (instr.opcode)
      OpTensorTensor: return agree(instr.op0, AluOpBypass) & no_op1;
      OpTensorScalar: return agree(instr.op0, instr.op1);
      OpScalarTensorTensor, OpTensorTensorScan, OpTensorScalarCumulative:
        return is_arithmetic(instr.op0) & is_arithmetic(instr.op1);
      OpTensorScalarReduce: return is_arithmetic(instr.op0) & reduces(instr.op1) & ~instr.reverse1;
      OpTensorReduce: return (reduces(instr.op0) | reduces_bits(instr.op0)) & ~instr.reverse0 & no_op1;
      OpTensorCopyPredicated, OpSelectReduce: return (instr.op0 == AluOpBypass) & no_op1;
      OpMemset, OpReadAccumulator, OpRng, OpSetRngSeed: return 1'b1;
      default: return no_op0 & no_op1;
    endcase
  endfunction

  // Checks element types beyond the checks of the sequencer.
  function automatic logic types_allowed(binary_t instr);
    logic a_like_dst, b_like_dst;
    a_like_dst = same_width_integers(instr.a_dtype, instr.dst_dtype);
    b_like_dst = same_width_integers(instr.b_dtype, instr.dst_dtype);
    case (instr.opcode)
      OpTensorTensor: return ~is_bit_operation(instr.op0) | (a_like_dst & b_like_dst);
      OpTensorScalar: return ~(is_bit_operation(instr.op0) | is_bit_operation(instr.op1)) | a_like_dst;
      OpTensorReduce: return ~is_bit_operation(instr.op0) | a_like_dst;
      OpTensorCopyPredicated: return is_integer(instr.a_dtype) & (instr.b_immediate | (instr.b_dtype == instr.dst_dtype));
      OpSelectReduce: return is_integer(instr.b_dtype);
      OpRng: return is_integer(instr.dst_dtype);
      OpSetRngSeed: return (instr.a_dtype == DtypeU32) | (instr.a_dtype == DtypeI32);
      OpFindIndex8: return (instr.dst_dtype == DtypeU16) | (instr.dst_dtype == DtypeU32);
      OpStreamShuffle, OpTransposeBlock: return instr.a_dtype == instr.dst_dtype;
      default: return 1'b1;
    endcase
  endfunction

  // Instructions with one source have a field for imm0's type: it is fp32, except that a probability of
  // floats has any float type.
  function automatic logic imm0_type_allowed(unary_t instr);
    if (uses_b(instr.opcode) | ~uses_a(instr.opcode) | ~uses_dst(instr.opcode)) return 1'b1;
    if (instr.imm0_dtype == ImmediateDtypeFp32) return 1'b1;
    return (instr.opcode == OpDropout) & instr.imm0_vector & ~is_integer(immediate_type(instr.imm0_dtype)) & ~is_integer(instr.a_dtype);
  endfunction

  // Checks that the second immediate is 0 where it is not used.
  function automatic logic immediate_allowed(unary_t instr);
    logic none;
    none = (instr.imm1 == '0) & ~instr.imm1_vector;
    case (instr.opcode)
      OpTensorScalarReduce: return none | (instr.reduce_cmd == ReduceCmdReset);
      OpTensorScalarCumulative: return none;
      default: return 1'b1;
    endcase
  endfunction

  // Checks other fields; their meaning depends on the opcode, as formats share their places.
  function automatic logic modes_allowed(binary_t instr, unary_t unary);
    logic idle, b_field;
    idle    = instr.reduce_cmd == ReduceCmdIdle;
    b_field = uses_b(instr.opcode) & instr.b_immediate;
    case (instr.opcode)
      OpMemset, OpReadAccumulator, OpRng, OpSetRngSeed: return 1'b1;
      OpTensorScalarReduce: return ~idle & ~unary.negate & (unary.reduce_axes == '0);
      OpSelectReduce: return (instr.reduce_cmd != ReduceCmdReset) & ~b_field;
      OpTensorCopyPredicated: return idle;
      OpTensorReduce: return idle & (unary.reduce_axes != '0) & (unary.reduce_axes <= 3'd4);
      default: return idle & ~b_field & (uses_b(instr.opcode) | (~unary.negate & (unary.reduce_axes == '0)));
    endcase
  endfunction

  // Returns whether partitions and elements make whole blocks of transpose_block, or one smaller block.
  function automatic logic is_blocks(operand_shape_pkg::dimensions_t count, logic [8:0] partitions);
    logic [15:0] elements;  // modulo a multiple of Quadrant
    elements = count[0] * count[1] * count[2] * count[3];
    return operand_shape_pkg::one_block(OpTransposeBlock, count, partitions)
         | ((32'(elements) % Quadrant == '0) & (32'(partitions) % Quadrant == '0));
  endfunction

  function automatic logic shape_allowed(opcode_e opcode, operand_shape_pkg::dimensions_t count, logic [8:0] partitions);
    case (opcode)
      OpSetRngSeed: return (operand_shape_pkg::elements_up_to(count, 32'd2) == 32'd1) & (partitions == 9'd1);
      OpMax8, OpFindIndex8:
        return (operand_shape_pkg::elements_up_to(count, 32'd8) == 32'd8)
             & (operand_shape_pkg::elements_up_to(count, 32'd16385) <= 32'd16384);
      OpMatchReplace8: return operand_shape_pkg::elements_up_to(count, 32'd16385) <= 32'd16384;
      OpTransposeBlock: return is_blocks(count, partitions);
      OpReadAccumulator: return operand_shape_pkg::elements_up_to(count, 32'd2) == 32'd1;
      OpBnStats: return operand_shape_pkg::elements_up_to(count, 32'd513) <= 32'd512;
      OpBnAggr: return (count[0] % 16'd3 == '0) | (count[1] % 16'd3 == '0) | (count[2] % 16'd3 == '0) | (count[3] % 16'd3 == '0);
      default: return 1'b1;
    endcase
  endfunction

  // Checks the entries of a shuffle mask: each is a row of a quadrant, or none. The instruction has 32
  // entries.
  function automatic error_e check_mask(logic [Quadrant-1:0][7:0] entries);
    error_e code;
    code = (Quadrant > 32) ? ErrorUnsupportedOperand : ErrorNone;
    for (int unsigned i = 0; i < Quadrant; i++) begin
      if ((entries[i] != 8'hff) & (32'(entries[i]) >= Quadrant)) code = ErrorPartitionRange;
    end
    return code;
  endfunction

  // Checks that the rows that stream_shuffle takes exist: the last quadrant may be used only in part, and
  // then has `used` rows.
  function automatic error_e check_shuffle(logic [Quadrant-1:0][7:0] entries, logic [8:0] partitions);
    error_e      code;
    logic [31:0] used;
    code = ErrorNone;
    used = (32'(partitions) - 32'd1) % Quadrant + 32'd1;
    for (int unsigned i = 0; i < Quadrant; i++) begin
      if ((i < used) & (entries[i] != 8'hff) & (32'(entries[i]) >= used)) code = ErrorPartitionRange;
    end
    return code;
  endfunction

  // `entries` is the shuffle mask at the time of the instruction.
  function automatic error_e check(logic [InstructionBits-1:0] instr, logic [Quadrant-1:0][7:0] entries);
    /* verilator no_inline_task */
    binary_t binary;
    unary_t  unary;
    binary = instr;
    unary  = instr;
    case (binary.opcode)
      OpTensorCopy, OpTensorTensor, OpTensorScalar, OpScalarTensorTensor, OpMemset, OpTensorScalarReduce, OpReadAccumulator,
      OpTensorTensorScan, OpTensorScalarCumulative, OpTensorReduce, OpTensorCopyPredicated, OpSelectReduce, OpBnStats,
      OpBnAggr, OpReciprocal, OpRng, OpDropout, OpSetRngSeed, OpMax8, OpFindIndex8, OpMatchReplace8, OpStreamShuffle,
      OpTransposeBlock:;
      OpLoadShuffleMask: return check_mask(mask_entries(instr));
      default: return ErrorIllegalInstruction;
    endcase
    if (!shape_allowed(binary.opcode, {binary.count3, binary.count2, binary.count1, binary.count0}, binary.partitions)) return ErrorShape;
    if (!operations_allowed(binary) || !immediate_allowed(unary) || !modes_allowed(binary, unary)) begin
      return ErrorUnsupportedOperand;
    end
    if (!types_allowed(binary) || !imm0_type_allowed(unary)) return ErrorDtype;
    if (binary.opcode == OpStreamShuffle && check_shuffle(entries, binary.partitions) != ErrorNone) return ErrorPartitionRange;
    if (uses_dst(binary.opcode) && 2'(binary.rounding) == 2'd3) return ErrorUnsupportedOperand;
    if (takes_b(binary) && in_psum(binary.a_addr) && in_psum(binary.b_addr)) return ErrorUnsupportedOperand;
    if (!immediate_readable(takes_imm0(binary) & unary.imm0_vector, unary.imm0) ||
        !immediate_readable(takes_imm1(unary) & unary.imm1_vector, unary.imm1)) return ErrorUnsupportedOperand;
    return ErrorNone;
  endfunction

endpackage
