// Decodes a Vector instruction into the operation that the engine's blocks carry out.
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole instructions and look at some fields
package vector_decode_pkg;

  import cfg_pkg::*;
  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
  import vector_pkg::*;
  import vector_special_pkg::*;

  localparam accumulate_t NoAccumulation = '{enable: 1'b0, op: AluOpBypass, start: StartContinue};
  localparam alu_t Pass = '{op: AluOpBypass, reverse: 1'b0, second: SecondImmediate};
  localparam alu_t PassImmediate = '{op: AluOpBypass, reverse: 1'b1, second: SecondImmediate};
  localparam alu_t PassTensor = '{op: AluOpBypass, reverse: 1'b1, second: SecondTensor};

  function automatic logic is_one_operand(alu_op_e op);
    case (op)
      AluOpBypass, AluOpAbs, AluOpSquare, AluOpRelu, AluOpReciprocal, AluOpLogicalNot, AluOpBitwiseNot: return 1'b1;
      default: return 1'b0;
    endcase
  endfunction

  function automatic logic is_bit_operation(alu_op_e op);
    case (op)
      AluOpBitwiseAnd, AluOpBitwiseOr, AluOpBitwiseXor, AluOpBitwiseNot, AluOpShiftLeft, AluOpShiftRight: return 1'b1;
      default: return 1'b0;
    endcase
  endfunction

  // Returns whether an operation reads its second operand; operations with one operand do so when they are
  // reversed.
  function automatic logic reads_second(alu_op_e op, logic reverse);
    return reverse | ~is_one_operand(op);
  endfunction

  // Return whether an instruction takes its immediates.
  function automatic logic takes_imm0(binary_t instr);
    case (instr.opcode)
      OpMemset, OpTensorTensorScan, OpSelectReduce, OpDropout, OpMatchReplace8: return 1'b1;
      OpTensorCopyPredicated: return instr.b_immediate;
      OpTensorScalar, OpScalarTensorTensor, OpTensorScalarReduce, OpTensorScalarCumulative:
        return reads_second(instr.op0, instr.reverse0);
      default: return 1'b0;
    endcase
  endfunction

  function automatic logic takes_imm1(unary_t instr);
    case (instr.opcode)
      OpTensorScalar:       return reads_second(instr.op1, instr.reverse1);
      OpTensorScalarReduce: return instr.reduce_cmd == ReduceCmdReset;
      default: return 1'b0;
    endcase
  endfunction

  // Returns the type of imm0 as a [partitions,1] operand; only the probability of dropout may have another
  // type than fp32.
  function automatic dtype_e imm0_type(unary_t instr);
    return (instr.opcode == OpDropout) ? immediate_type(instr.imm0_dtype) : DtypeFp32;
  endfunction

  function automatic logic takes_b(binary_t instr);
    return uses_b(instr.opcode) & ~((instr.opcode == OpTensorCopyPredicated) & instr.b_immediate);
  endfunction

  // Two SBUF sources take two cycles per element, with published exceptions, where words carry two bf16
  // elements: tensor_tensor (add, subtract, multiply) with every operand bf16 and innermost step 1, and
  // scalar_tensor_tensor (subtract, then multiply) with both sources so and an even number of elements.
  function automatic logic reads_pairs(binary_t instr);
    logic sources, destination, even;
    sources     = (instr.a_dtype == DtypeBf16) & (instr.b_dtype == DtypeBf16)
                & (instr.a_step0 == 16'd1) & (instr.b_step0 == 16'd1);
    destination = (instr.dst_dtype == DtypeBf16) & (instr.dst_step0 == 16'd1);
    even        = ~(instr.count0[0] & instr.count1[0] & instr.count2[0] & instr.count3[0]);
    case (instr.opcode)
      OpTensorTensor:
        return sources & destination
             & ((instr.op0 == AluOpAdd) | (instr.op0 == AluOpSubtract) | (instr.op0 == AluOpMultiply));
      OpScalarTensorTensor: return sources & even & (instr.op0 == AluOpSubtract) & (instr.op1 == AluOpMultiply);
      default: return 1'b0;
    endcase
  endfunction

  // Returns whether a pattern of 16-bit elements consists of whole words, two elements each.
  function automatic logic is_whole_words(operand_t operand, count_t count);
    logic even;
    even = ~count[0][0] & ~operand.offset[1] & (operand.step[0] == 16'd1);
    for (int unsigned k = 1; k < 4; k++) even &= ~operand.step[k][0] | (count[k] == 16'd1);
    return even;
  endfunction

  // The published time of N / 2 for memset with 0 and for bf16 reductions: they work on words instead of
  // elements. Under stochastic rounding each element has to take its draw.
  function automatic logic clears_words(unary_t instr, operand_t dst, count_t count, logic stochastic);
    return (instr.opcode == OpMemset) & ((dst.dtype == DtypeBf16) | (dst.dtype == DtypeFp16)) & ~instr.imm0_vector
         & (instr.imm0 == '0) & is_whole_words(dst, count) & ~stochastic;
  endfunction

  function automatic logic reduces_words(unary_t instr, operand_t a, count_t count);
    return (instr.opcode == OpTensorReduce) & (a.dtype == DtypeBf16) & (instr.dst_dtype == DtypeBf16)
         & ((instr.op0 == AluOpAdd) | (instr.op0 == AluOpMax)) & is_whole_words(a, count);
  endfunction

  function automatic operand_t words_of(operand_t operand);
    operand_t words;
    words = operand;
    for (int unsigned k = 1; k < 4; k++) words.step[k] = {operand.step[k][15], operand.step[k][15:1]};
    words.dtype = DtypeU32;
    return words;
  endfunction

  // ------------------------------------------------------------------------------------------------------ operands, shape
  function automatic vector_op_t decode_shape(logic [InstructionBits-1:0] instr, logic core_stochastic);
    binary_t    binary;
    unary_t     unary;
    vector_op_t op;
    count_t     count;
    logic [2:0] axes;
    binary = instr;
    unary  = instr;
    count  = {binary.count3, binary.count2, binary.count1, binary.count0};
    axes   = (unary.opcode == OpTensorReduce) ? unary.reduce_axes : 3'd4;

    op = '0;
    op.operands = decode_operands(instr);
    op.operands.dst_partitions = operand_shape_pkg::dst_partitions(binary.opcode, count, binary.partitions);
    op.operands.b_count        = operand_shape_pkg::b_count(binary.opcode, count);
    op.operands.dst_count      = operand_shape_pkg::dst_count(binary.opcode, count, axes, binary.partitions);
    op.operands.reads_a        = uses_a(binary.opcode);
    op.operands.uses_b         = takes_b(binary);
    op.operands.reuse_words    = ~op.operands.uses_b | op.operands.a.psum | op.operands.b.psum | reads_pairs(binary);
    op.control.group_axes = axes;
    op.control.unit       = UnitLanes;
    op.control.stochastic = rounds_stochastically(binary.rounding, core_stochastic);

    if (clears_words(unary, op.operands.dst, count, op.control.stochastic)) begin
      op.operands.dst           = words_of(op.operands.dst);
      op.operands.count[0]     = count[0] >> 1;
      op.operands.dst_count[0] = count[0] >> 1;
      op.control.raw           = 1'b1;
    end
    if (reduces_words(unary, op.operands.a, count)) begin
      op.operands.a        = words_of(op.operands.a);
      op.operands.count[0] = count[0] >> 1;
      op.operands.raw_a    = 1'b1;
    end
    return op;
  endfunction

  // ----------------------------------------------------------------------------------------------------------- operations
  function automatic acc_start_e decode_start(reduce_cmd_e cmd);
    case (cmd)
      ReduceCmdReset:       return StartImmediate;
      ReduceCmdResetReduce: return StartAnew;
      default:              return StartContinue;
    endcase
  endfunction

  // Returns the entries of load_shuffle_mask, at most 32.
  function automatic logic [Quadrant-1:0][7:0] mask_entries(shuffle_mask_t instr);
    logic [31:0][7:0] all;
    logic [Quadrant-1:0][7:0] entries;
    all = {instr.mask7, instr.mask6, instr.mask5, instr.mask4, instr.mask3, instr.mask2, instr.mask1, instr.mask0};
    for (int unsigned i = 0; i < Quadrant; i++) entries[i] = all[i%32];
    return entries;
  endfunction

  // Decodes the operations of vector_special and the form in which they take elements.
  function automatic vector_op_t decode_special(vector_op_t shape, logic same_types, special_e special);
    vector_op_t op;
    op = shape;
    op.control.unit         = UnitSpecial;
    op.control.special      = special;
    op.operands.no_dst       = (special == SpecialSeed) | (special == SpecialLoadMask);
    op.control.values_first = (special == SpecialFind8) | (special == SpecialReplace8);
    case (special)
      SpecialMax8:                      {op.operands.raw_a, op.control.raw} = 2'b00;
      SpecialFind8:                     {op.operands.raw_a, op.control.raw} = 2'b01;
      SpecialDropout, SpecialReplace8:  {op.operands.raw_a, op.control.raw} = {2{same_types}};
      default:                          {op.operands.raw_a, op.control.raw} = 2'b11;
    endcase
    if (special == SpecialLoadMask) begin
      op.operands.count      = {4{16'd1}};
      op.operands.partitions = 9'd1;
    end
    if (op.operands.no_dst) begin
      op.operands.dst_count      = {4{16'd1}};
      op.operands.dst_partitions = 9'd1;
      op.operands.dst            = '0;
      op.operands.dst.dtype      = DtypeU32;
    end
    return op;
  endfunction

  function automatic vector_op_t decode(logic [InstructionBits-1:0] instr, logic core_stochastic);
    binary_t    binary;
    unary_t     unary;
    vector_op_t op;
    alu_t       op0, op1;      // as in the instruction's fields
    logic       same_types, bits;
    logic       imm0_second;   // the second stage takes the immediate imm0
    binary = instr;
    unary  = instr;

    op = decode_shape(instr, core_stochastic);
    op0 = '{op: binary.op0, reverse: binary.reverse0, second: SecondImmediate};
    op1 = '{op: binary.op1, reverse: binary.reverse1, second: SecondImmediate};
    op.control.first_stage  = '{alu: Pass, keep_b: 1'b0, limited: 1'b0};
    op.control.second_stage = '{make: MakeOperation, alu: Pass, negate: 1'b0, predicate: 1'b0, invert: binary.reverse0,
                        acc: NoAccumulation};
    same_types  = binary.a_dtype == binary.dst_dtype;
    bits        = is_bit_operation(binary.op0) | is_bit_operation(binary.op1);
    imm0_second = (binary.opcode == OpTensorCopyPredicated) | (binary.opcode == OpSelectReduce) | (binary.opcode == OpDropout)
                | (binary.opcode == OpMatchReplace8);

    case (binary.opcode)
      OpTensorCopy: {op.operands.raw_a, op.control.raw} = {2{same_types}};
      OpMemset: op.control.first_stage.alu = PassImmediate;
      OpTensorTensor: begin
        op.control.first_stage.alu = '{op: binary.op0, reverse: binary.reverse0, second: SecondTensor};
        {op.operands.raw_a, op.operands.raw_b, op.control.raw} = {3{bits}};
      end
      OpTensorScalar: begin
        op.control.first_stage.alu  = op0;
        op.control.second_stage.alu = op1;
        {op.operands.raw_a, op.control.raw}  = {2{bits}};
      end
      OpScalarTensorTensor: begin
        op.control.first_stage.alu    = op0;
        op.control.first_stage.keep_b = 1'b1;
        op.control.second_stage.alu = '{op: binary.op1, reverse: binary.reverse1, second: SecondTensor};
      end
      OpTensorScalarReduce: begin
        op.control.first_stage.alu  = op0;
        op.control.second_stage.acc = '{enable: 1'b1, op: binary.op1,
                                start: decode_start(binary.reduce_cmd)};
      end
      OpReadAccumulator: op.control.second_stage.make = MakeAccumulator;
      OpTensorTensorScan: begin
        op.control.first_stage.alu    = '{op: binary.op0, reverse: binary.reverse0, second: SecondResult};
        op.control.first_stage.keep_b = 1'b1;
        op.control.second_stage.alu   = '{op: binary.op1, reverse: binary.reverse1, second: SecondTensor};
      end
      OpTensorScalarCumulative: begin
        op.control.first_stage.alu  = op0;
        op.control.second_stage.alu = '{op: binary.op1, reverse: ~binary.reverse1, second: SecondResult};
      end
      OpTensorReduce: begin
        op.control.second_stage.make   = (op.operands.raw_a & ~bits) ? MakePairReduction : MakeOperation;
        op.control.second_stage.alu    = '{op: binary.op0, reverse: 1'b1, second: SecondResult};
        op.control.second_stage.negate = unary.negate & ~bits;
        op.control.write_groups        = 1'b1;
        op.operands.raw_a               = op.operands.raw_a | bits;
        op.control.raw                 = bits;
      end
      OpTensorCopyPredicated: begin
        op.control.first_stage.keep_b     = 1'b1;
        op.control.second_stage.alu       = op.operands.uses_b ? PassTensor : PassImmediate;
        op.control.second_stage.predicate = 1'b1;
        {op.operands.raw_a, op.operands.raw_b, op.control.raw} = {2'b11, op.operands.uses_b};
        op.control.stochastic = 1'b0;
      end
      OpSelectReduce: begin
        op.control.first_stage.keep_b    = 1'b1;
        op.control.second_stage.make     = MakeSelection;
        op.control.second_stage.alu      = PassImmediate;
        op.control.second_stage.acc      = '{enable: binary.reduce_cmd != ReduceCmdIdle, op: AluOpMax,
                                     start: decode_start(binary.reduce_cmd)};
        op.operands.raw_b                 = 1'b1;
      end
      OpReciprocal: begin
        op.control.first_stage.alu         = '{op: AluOpReciprocal, reverse: 1'b0, second: SecondImmediate};
        op.control.first_stage.limited = 1'b1;
      end
      OpBnStats: op.control.unit = UnitBnStats;
      OpRng: op = decode_special(op, same_types, SpecialRng);
      OpDropout: op = decode_special(op, same_types, SpecialDropout);
      OpSetRngSeed: op = decode_special(op, same_types, SpecialSeed);
      OpMax8: op = decode_special(op, same_types, SpecialMax8);
      OpFindIndex8: op = decode_special(op, same_types, SpecialFind8);
      OpMatchReplace8: op = decode_special(op, same_types, SpecialReplace8);
      OpLoadShuffleMask: op = decode_special(op, same_types, SpecialLoadMask);
      OpStreamShuffle: op = decode_special(op, same_types, SpecialShuffle);
      OpTransposeBlock: op = decode_special(op, same_types, SpecialTranspose);
      OpBnAggr: op.control.unit = UnitBnAggr;
      default:;
    endcase

    op.control.entries = mask_entries(instr);
    op.operands.imm[0] = decode_immediate(takes_imm0(binary) & ~imm0_second, unary.imm0_vector, unary.imm0, DtypeFp32);
    op.operands.imm[1] = imm0_second
                       ? decode_immediate(takes_imm0(binary), unary.imm0_vector, unary.imm0, imm0_type(unary))
                       : decode_immediate(takes_imm1(unary), unary.imm1_vector, unary.imm1, DtypeFp32);
    return op;
  endfunction

endpackage
