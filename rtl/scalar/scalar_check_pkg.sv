// What the Scalar engine refuses: everything the sequencer's checks of opcode, types, address patterns and partitions leave.
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole instructions and look at some fields
package scalar_check_pkg;

  import isa_pkg::*;
  import scalar_pkg::*;
  import scalar_table_pkg::TableBeatBytes;

  function automatic logic operation_allowed(alu_op_e op);
    return (op == AluOpBypass) | (op == AluOpAdd) | (op == AluOpMultiply);
  endfunction

  // type1: of the second one, where it is a [partitions,1] operand; the first one is fp32.
  function automatic error_e check_immediates(logic used0, logic used1, unary_t unary, dtype_e type1);
    error_e imm0, imm1;
    imm0 = (used0 & unary.imm0_vector) ? elementwise_pkg::check_immediate(unary.imm0, unary.partitions, DtypeFp32) : ErrorNone;
    imm1 = (used1 & unary.imm1_vector) ? elementwise_pkg::check_immediate(unary.imm1, unary.partitions, type1) : ErrorNone;
    return (imm0 != ErrorNone) ? imm0 : imm1;
  endfunction

  // A bias has any type but tf32 as a [partitions,1] operand; a constant is fp32.
  function automatic logic bias_type_allowed(activation_t activation);
    if (!activation.bias_vector) return activation.bias_dtype == ImmediateDtypeFp32;
    return core_pkg::immediate_type_valid(activation.bias_dtype) & (activation.bias_dtype != ImmediateDtypeTf32);
  endfunction

  function automatic error_e check_activation(activation_t activation, activation_set_e loaded);
    if (6'(activation.act_function) > 6'(ActivationGeluApprxSigmoidDx)) return ErrorUnsupportedOperand;
    if ((activation.opcode == OpActivationReduce) & (activation.reduce_cmd == ReduceCmdIdle)) return ErrorUnsupportedOperand;
    if (!bias_type_allowed(activation)) return ErrorDtype;
    if (!set_has(loaded, activation.act_function)) return ErrorActivationTable;
    return check_immediates(1'b1, 1'b1, unary_t'(activation), core_pkg::immediate_type(activation.bias_dtype));
  endfunction

  // Fields of the format that the instruction has no use for must be 0.
  function automatic error_e check_unary(unary_t unary);
    logic plain;
    plain = (unary.reduce_cmd == ReduceCmdIdle) & ~unary.negate & (unary.reduce_axes == '0);
    if (!plain) return ErrorUnsupportedOperand;
    if (unary.imm0_dtype != ImmediateDtypeFp32) return ErrorDtype;
    if (unary.opcode == OpTensorCopy)
      return ((unary.op0 == AluOpBypass) & (unary.op1 == AluOpBypass)) ? ErrorNone : ErrorUnsupportedOperand;
    if (!operation_allowed(unary.op0) | !operation_allowed(unary.op1)) return ErrorUnsupportedOperand;
    return check_immediates(takes_immediate(unary.op0, unary.reverse0), takes_immediate(unary.op1, unary.reverse1), unary, DtypeFp32);
  endfunction

  function automatic error_e check_table_load(table_load_t load);
    if ((load.table_set == ActivationSetNone) | (8'(load.table_set) > 8'(ActivationSetTrigonometricAndOthers))) return ErrorActivationTable;
    if (load.table_beats == '0) return ErrorActivationTable;
    return (load.table_address[$clog2(TableBeatBytes)-1:0] != '0) ? ErrorAddressAlign : ErrorNone;
  endfunction

  // `loaded`: the set of tables that is loaded when the instruction runs.
  function automatic error_e check(logic [InstructionBits-1:0] instr, activation_set_e loaded);
    unary_t unary;
    unary = instr;
    case (unary.opcode)
      OpActTableLoad: return check_table_load(table_load_t'(instr));
      OpActivation, OpActivationReduce, OpActReadAccumulator, OpTensorCopy, OpTensorScalar:;
      default: return ErrorIllegalInstruction;
    endcase
    if (unary.count0 == '0 || unary.count1 == '0 || unary.count2 == '0 || unary.count3 == '0) return ErrorShape;
    if (2'(unary.rounding) == 2'd3) return ErrorUnsupportedOperand;
    case (unary.opcode)
      OpActReadAccumulator:
        return ({unary.count3, unary.count2, unary.count1, unary.count0} == {4{16'd1}}) ? ErrorNone : ErrorShape;
      OpActivation, OpActivationReduce: return check_activation(activation_t'(instr), loaded);
      default: return check_unary(unary);
    endcase
  endfunction

endpackage
