// Decoded Scalar instructions: operands, and the operations of the pipeline on each element.
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole instructions and look at some fields
package scalar_pkg;

  import isa_pkg::*;
  import elementwise_pkg::*;
  import activation_lane_pkg::mode_e;

  // Computes z from an element and the immediates of its lane: element * imm0 + imm1 in one rounding, only
  // the sum or product, or either value alone.
  typedef enum logic [2:0] {EnterFma, EnterAdd, EnterMultiply, EnterElement, EnterImmediate} enter_e;

  // Computes y: the polynomial scaled, or with the logarithm of the exponent added; without a table, from z
  // and imm1.
  typedef enum logic [3:0] {
    LeaveScaled, LeaveLog, LeaveOperand, LeaveSquare, LeaveRelu, LeaveAbs, LeaveSign, LeavePrelu, LeaveAdd, LeaveMultiply,
    LeaveImmediate, LeaveAccumulator
  } leave_e;

  typedef struct packed {
    enter_e      enter;
    leave_e      leave;
    activation_e code;        // function; copy if there is none
    mode_e       mode;
    logic [2:0]  degree;      // 0 without a table
    logic [31:0] alpha;
    logic        accumulate;  // y is added to the accumulator registers
    logic        anew;        // the first element starts them anew
    logic        clear;       // the first element sets them to zero
    logic        stochastic;
  } scalar_op_t;

  // Stages of the pipeline, named after the action at their end; the polynomial has one for each coefficient
  // but the highest.
  localparam int unsigned StageEnter = 0;
  localparam int unsigned StageLookUp = 1;
  localparam int unsigned StageOrigin = 2;
  localparam int unsigned StageHorner = 3;
  localparam int unsigned HornerSteps = 5;
  localparam int unsigned StageLeave = StageHorner + HornerSteps;
  localparam int unsigned StageAccumulate = StageLeave + 1;
  localparam int unsigned StageNarrow = StageLeave + 2;
  localparam int unsigned StageWrite = StageLeave + 3;
  localparam int unsigned Stages = StageWrite + 1;

  // Data that an element needs in several stages is kept in slots, which elements use in turn. There are
  // enough slots for all stages between.
  localparam int unsigned Slots = 8;
  typedef logic [$clog2(Slots)-1:0] element_slot_t;

  // An element in a stage.
  typedef struct packed {
    logic                 valid;
    logic                 bank;
    logic                 first;  // first of its instruction
    logic                 last;
    element_slot_t        slot;
    offset_t              offset;
  } element_t;

  // Tell whether a function needs a table, and whether a set has it.
  function automatic logic has_table(activation_e activation);
    return ~activation[5] & (activation_table_pkg::FunctionDegree[activation[4:0]] != '0);
  endfunction

  function automatic logic set_has(activation_set_e set, activation_e activation);
    return ~has_table(activation) | (activation_table_pkg::SetFunctions[3'(set)][activation[4:0]]);
  endfunction

  function automatic leave_e leave_without_table(activation_e activation);
    case (activation)
      ActivationSquare: return LeaveSquare;
      ActivationRelu:   return LeaveRelu;
      ActivationAbs:    return LeaveAbs;
      ActivationSign:   return LeaveSign;
      ActivationPrelu:  return LeavePrelu;
      default:          return LeaveOperand;
    endcase
  endfunction

  function automatic enter_e enter_operation(alu_op_e op, logic reverse);
    case (op)
      AluOpAdd:      return EnterAdd;
      AluOpMultiply: return EnterMultiply;
      default:       return reverse ? EnterImmediate : EnterElement;
    endcase
  endfunction

  function automatic leave_e leave_operation(alu_op_e op, logic reverse);
    case (op)
      AluOpAdd:      return LeaveAdd;
      AluOpMultiply: return LeaveMultiply;
      default:       return reverse ? LeaveImmediate : LeaveOperand;
    endcase
  endfunction

  // Decodes an instruction. sr_enable: the core rounds stochastically unless the instruction says otherwise.
  function automatic scalar_op_t decode(logic [InstructionBits-1:0] instr, logic sr_enable);
    activation_t activation;
    unary_t      unary;
    scalar_op_t  op;
    activation = instr;
    unary      = instr;
    op            = '0;
    op.stochastic = rounds_stochastically(unary.rounding, sr_enable);
    case (unary.opcode)
      OpActivation, OpActivationReduce: begin
        op.enter      = EnterFma;
        op.code       = activation.act_function;
        op.alpha      = activation.alpha;
        op.accumulate = (activation.reduce_cmd == ReduceCmdReduce) | (activation.reduce_cmd == ReduceCmdResetReduce);
        op.anew       = activation.reduce_cmd == ReduceCmdResetReduce;
        op.clear      = activation.reduce_cmd == ReduceCmdReset;
        if (has_table(activation.act_function)) begin
          op.mode   = mode_e'(activation_table_pkg::FunctionMode[activation.act_function[4:0]]);
          op.degree = activation_table_pkg::FunctionDegree[activation.act_function[4:0]];
          op.leave  = (op.mode == activation_lane_pkg::ModeLog) ? LeaveLog : LeaveScaled;
        end else begin
          op.leave = leave_without_table(activation.act_function);
        end
      end
      OpActReadAccumulator: begin
        op.enter = EnterElement;
        op.leave = LeaveAccumulator;
      end
      OpTensorScalar: begin
        op.enter = enter_operation(unary.op0, unary.reverse0);
        op.leave = leave_operation(unary.op1, unary.reverse1);
      end
      default: begin
        op.enter = EnterElement;
        op.leave = LeaveOperand;
      end
    endcase
    return op;
  endfunction

  // Returns whether an operation takes its immediate.
  function automatic logic takes_immediate(alu_op_e op, logic reverse);
    return (op != AluOpBypass) | reverse;
  endfunction

  function automatic operands_t decode_scalar_operands(logic [InstructionBits-1:0] instr);
    unary_t      unary;
    activation_t activation;
    operands_t   operands;
    logic [1:0]  used;
    dtype_e      type1;
    unary      = instr;
    activation = instr;
    type1      = DtypeFp32;
    case (unary.opcode)
      OpActivation, OpActivationReduce: begin
        used  = 2'b11;
        type1 = core_pkg::immediate_type(activation.bias_dtype);
      end
      OpTensorScalar: used = {takes_immediate(unary.op1, unary.reverse1), takes_immediate(unary.op0, unary.reverse0)};
      default:        used = 2'b00;
    endcase
    operands = decode_operands(instr);
    operands.reads_a     = unary.opcode != OpActReadAccumulator;
    operands.reuse_words = 1'b1;
    operands.imm[0] = decode_immediate(used[0], unary.imm0_vector, unary.imm0, DtypeFp32);
    operands.imm[1] = decode_immediate(used[1], unary.imm1_vector, unary.imm1, type1);
    return operands;
  endfunction

endpackage
