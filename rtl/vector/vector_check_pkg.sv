// What the Vector engine refuses: everything the sequencer's checks of opcode, types, address patterns and partitions leave.
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole instructions and look at some fields
package vector_check_pkg;

  import cfg_pkg::*;
  import isa_pkg::*;
  import core_pkg::*;
  import vector_pkg::*;

  function automatic logic op_implemented(alu_op_e op);
    case (op)
      AluOpBypass, AluOpAdd, AluOpSubtract, AluOpMultiply, AluOpMax, AluOpMin, AluOpAbs, AluOpSquare, AluOpRelu: return 1'b1;
      default: return 1'b0;
    endcase
  endfunction

  // An operand in all of `partitions` may start at partition 0, above a quarter of them at the half, else at any quadrant.
  function automatic logic start_allowed(logic [31:0] partition, logic [8:0] partitions);
    if (int'(partitions) > Lanes / 2) return partition == '0;
    if (int'(partitions) > Quadrant) return partition % (Lanes / 2) == '0;
    return partition % Quadrant == '0;
  endfunction

  // A [partitions,1] fp32 operand of an operation: one word in each of its partitions, in SBUF.
  function automatic error_e check_immediate(logic [31:0] address, logic [8:0] partitions);
    logic [31:0] partition;
    partition = address >> SbufStrideBits;
    if (address >= WindowSbufWindow) return ErrorUnsupportedOperand;
    if (address[1:0] != '0) return ErrorAddressAlign;
    if (32'(address[SbufStrideBits-1:0]) >= SbufBytes) return ErrorAddressRange;
    if (partition + 32'(partitions) > Lanes) return ErrorPartitionRange;
    if (!start_allowed(partition, partitions)) return ErrorPartitionStart;
    return ErrorNone;
  endfunction

  // Operation fields that the opcode has no use for must be 0.
  function automatic logic operations_allowed(binary_t instr);
    case (instr.opcode)
      OpTensorCopy, OpMemset: return (instr.op0 == AluOpBypass) & (instr.op1 == AluOpBypass);
      OpTensorTensor:         return op_implemented(instr.op0) & (instr.op1 == AluOpBypass) & ~instr.reverse1;
      default:                return op_implemented(instr.op0) & op_implemented(instr.op1);
    endcase
  endfunction

  function automatic error_e check(logic [InstructionBits-1:0] instr);
    binary_t    binary;
    unary_t     unary;
    alu_t [1:0] alu;
    error_e     imm0, imm1;
    binary = instr;
    unary  = instr;
    case (binary.opcode)
      OpTensorCopy, OpTensorTensor, OpTensorScalar, OpScalarTensorTensor, OpMemset:;
      default: return ErrorIllegalInstruction;
    endcase
    if (binary.count0 == '0 || binary.count1 == '0 || binary.count2 == '0 || binary.count3 == '0) return ErrorShape;
    if (!operations_allowed(binary)) return ErrorUnsupportedOperand;
    if (binary.reduce_cmd != ReduceCmdIdle) return ErrorUnsupportedOperand;
    if (binary.rounding != RoundingCore && binary.rounding != RoundingNearest) return ErrorUnsupportedOperand;
    if (uses_b(binary.opcode) && in_psum(binary.a_addr) && in_psum(binary.b_addr)) return ErrorUnsupportedOperand;
    alu  = decode_operations(binary);
    imm0 = (unary.imm0_vector & reads_immediate(alu[0])) ? check_immediate(unary.imm0, unary.partitions) : ErrorNone;
    imm1 = (unary.imm1_vector & reads_immediate(alu[1])) ? check_immediate(unary.imm1, unary.partitions) : ErrorNone;
    return imm0 != ErrorNone ? imm0 : imm1;
  endfunction

endpackage
