// Decoded Scalar instructions: what the pipeline does with each element. Operands and immediates are decoded as those of the
// Vector instruction that `as_vector` makes.
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole instructions and look at some fields
package scalar_pkg;

  import isa_pkg::*;
  import activation_lane_pkg::mode_e;

  // z from an element and the immediates of its lane: element * imm0 + imm1 in one rounding; one of the two; either alone.
  typedef enum logic [2:0] {EnterFma, EnterAdd, EnterMultiply, EnterElement, EnterImmediate} enter_e;

  // y: the polynomial scaled, or with the logarithm of the exponent added; or without a table, from z and imm1.
  typedef enum logic [3:0] {
    LeaveScaled, LeaveLog, LeaveOperand, LeaveSquare, LeaveRelu, LeaveAbs, LeaveSign, LeavePrelu, LeaveAdd, LeaveMultiply,
    LeaveImmediate, LeaveAccumulator
  } leave_e;

  typedef struct packed {
    enter_e      enter;
    leave_e      leave;
    activation_e code;        // function, copy where there is none
    mode_e       mode;
    logic [2:0]  degree;      // 0 without a table
    logic [31:0] alpha;
    logic        accumulate;  // y is added to the accumulator registers,
    logic        anew;        // which the first element starts anew,
    logic        clear;       // or the first element sets to zero
    logic        stochastic;
  } scalar_op_t;

  // Stages of the pipeline, by what happens at their end; the polynomial has one for each coefficient but the highest.
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

  // What an element needs in several stages is kept in slots that elements use in turn, long enough for every stage between.
  localparam int unsigned Slots = 8;
  typedef logic [$clog2(Slots)-1:0] element_slot_t;

  // An element in a stage.
  typedef struct packed {
    logic                 valid;
    logic                 bank;
    logic                 first;  // of its instruction
    logic                 last;
    element_slot_t                slot;
    vector_pkg::offset_t  offset;
  } element_t;

  // Whether a function needs a table, and whether a set has it.
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

  // sr_enable: the core rounds stochastically where an instruction does not say otherwise.
  function automatic scalar_op_t decode(logic [InstructionBits-1:0] instr, logic sr_enable);
    activation_t activation;
    unary_t      unary;
    scalar_op_t  op;
    activation = instr;
    unary      = instr;
    op            = '0;
    op.stochastic = (unary.rounding == RoundingStochastic) | ((unary.rounding == RoundingCore) & sr_enable);
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

  // The Vector instruction with the same operands and immediates.
  function automatic logic [InstructionBits-1:0] as_vector(logic [InstructionBits-1:0] instr);
    unary_t unary, plain;
    unary = instr;
    plain = '0;
    plain.partitions = unary.partitions;
    {plain.count3, plain.count2, plain.count1, plain.count0} = {unary.count3, unary.count2, unary.count1, unary.count0};
    plain.dst_addr  = unary.dst_addr;
    plain.dst_dtype = unary.dst_dtype;
    {plain.dst_step3, plain.dst_step2, plain.dst_step1, plain.dst_step0} =
        {unary.dst_step3, unary.dst_step2, unary.dst_step1, unary.dst_step0};
    if (unary.opcode == OpActReadAccumulator) begin
      plain.opcode = OpMemset;
    end else begin
      plain.opcode  = OpTensorScalar;
      plain.a_addr  = unary.a_addr;
      plain.a_dtype = unary.a_dtype;
      {plain.a_step3, plain.a_step2, plain.a_step1, plain.a_step0} = {unary.a_step3, unary.a_step2, unary.a_step1, unary.a_step0};
      plain.imm0        = unary.imm0;
      plain.imm1        = unary.imm1;
      plain.imm0_vector = unary.imm0_vector;
      plain.imm1_vector = unary.imm1_vector;
      case (unary.opcode)
        OpTensorCopy: {plain.imm0_vector, plain.imm1_vector} = '0;
        OpTensorScalar: begin
          plain.op0      = unary.op0;
          plain.op1      = unary.op1;
          plain.reverse0 = unary.reverse0;
          plain.reverse1 = unary.reverse1;
        end
        default: begin
          plain.op0 = AluOpMultiply;
          plain.op1 = AluOpAdd;
        end
      endcase
    end
    return plain;
  endfunction

endpackage
