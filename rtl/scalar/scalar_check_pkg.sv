// The checks of the Scalar engine: it refuses what the sequencer's checks of opcode, types, address patterns
// and partitions do not cover.
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole instructions and look at some fields
package scalar_check_pkg;

  import isa_pkg::*;
  import scalar_pkg::*;
  import scalar_table_pkg::TableBeatBytes;

  function automatic logic operation_allowed(alu_op_e op);
    return (op == AluOpBypass) | (op == AluOpAdd) | (op == AluOpMultiply);
  endfunction

  function automatic error_e check_immediates(logic used0, logic used1, unary_t unary);
    logic allowed;
    allowed = elementwise_pkg::immediate_readable(used0 & unary.imm0_vector, unary.imm0)
            & elementwise_pkg::immediate_readable(used1 & unary.imm1_vector, unary.imm1);
    return allowed ? ErrorNone : ErrorUnsupportedOperand;
  endfunction

  // A bias as a [partitions,1] operand has any type but tf32; a constant bias is fp32.
  function automatic logic bias_type_allowed(activation_t activation);
    return activation.bias_vector ? activation.bias_dtype != ImmediateDtypeTf32 : activation.bias_dtype == ImmediateDtypeFp32;
  endfunction

  function automatic error_e check_activation(activation_t activation, activation_set_e loaded);
    if (6'(activation.act_function) > 6'(ActivationGeluApprxSigmoidDx)) return ErrorUnsupportedOperand;
    if ((activation.opcode == OpActivationReduce) & (activation.reduce_cmd == ReduceCmdIdle)) return ErrorUnsupportedOperand;
    if (!bias_type_allowed(activation)) return ErrorDtype;
    if (!set_has(loaded, activation.act_function)) return ErrorActivationTable;
    return check_immediates(1'b1, 1'b1, unary_t'(activation));
  endfunction

  // Fields of the format that the instruction does not use must be 0.
  function automatic error_e check_unary(unary_t unary);
    logic plain;
    plain = (unary.reduce_cmd == ReduceCmdIdle) & ~unary.negate & (unary.reduce_axes == '0);
    if (!plain) return ErrorUnsupportedOperand;
    if (unary.imm0_dtype != ImmediateDtypeFp32) return ErrorDtype;
    if (unary.opcode == OpTensorCopy)
      return ((unary.op0 == AluOpBypass) & (unary.op1 == AluOpBypass)) ? ErrorNone : ErrorUnsupportedOperand;
    if (!operation_allowed(unary.op0) | !operation_allowed(unary.op1)) return ErrorUnsupportedOperand;
    return check_immediates(takes_immediate(unary.op0, unary.reverse0), takes_immediate(unary.op1, unary.reverse1), unary);
  endfunction

  function automatic error_e check_table_load(table_load_t load);
    if ((load.table_set == ActivationSetNone) | (8'(load.table_set) > 8'(ActivationSetTrigonometricAndOthers))) return ErrorActivationTable;
    if (load.table_beats == '0) return ErrorActivationTable;
    return (load.table_address[$clog2(TableBeatBytes)-1:0] != '0) ? ErrorAddressAlign : ErrorNone;
  endfunction

  // `loaded` is the set of tables that is loaded when the instruction runs.
  function automatic error_e check(logic [InstructionBits-1:0] instr, activation_set_e loaded);
    unary_t unary;
    unary = instr;
    case (unary.opcode)
      OpActTableLoad: return check_table_load(table_load_t'(instr));
      OpActivation, OpActivationReduce, OpActReadAccumulator, OpTensorCopy, OpTensorScalar:;
      default: return ErrorIllegalInstruction;
    endcase
    if (2'(unary.rounding) == 2'd3) return ErrorUnsupportedOperand;
    case (unary.opcode)
      OpActReadAccumulator:
        return ({unary.count3, unary.count2, unary.count1, unary.count0} == {4{16'd1}}) ? ErrorNone : ErrorShape;
      OpActivation, OpActivationReduce: return check_activation(activation_t'(instr), loaded);
      default: return check_unary(unary);
    endcase
  endfunction

endpackage
