// Operations on all lanes: ALU operations, on fp32 values with one rounding or, for bit operations, on the
// bits. vector_dividers makes reciprocals. Also reductions of pairs and into registers.
package vector_alu_pkg;

  import isa_pkg::*;
  import core_pkg::*;
  import vector_lane_pkg::*;
  import logic_lane_pkg::*;
  import bit_lane_pkg::*;

  // Computes result = x op y; operations with one operand take x.
  function automatic void alu_row(output row_t result, input alu_op_e op, input row_t x, input row_t y);
    /* verilator no_inline_task */
    case (op)
      AluOpBypass:   result = x;
      AluOpAdd:      add_row(result, x, y);
      AluOpSubtract: sub_row(result, x, y);
      AluOpMultiply: mul_row(result, x, y);
      AluOpMax:      max_row(result, x, y);
      AluOpMin:      min_row(result, x, y);
      default:       rarer_row(result, op, x, y);
    endcase
  endfunction

  // These are a separate function, because each call in a function costs the simulator something.
  function automatic void rarer_row(output row_t result, input alu_op_e op, input row_t x, input row_t y);
    /* verilator no_inline_task */
    case (op)
      AluOpIsEqual:      equal_row(result, x, y);
      AluOpNotEqual:     not_equal_row(result, x, y);
      AluOpGreater:      greater_row(result, x, y);
      AluOpGreaterEqual: greater_equal_row(result, x, y);
      AluOpLess:         less_row(result, x, y);
      AluOpLessEqual:    less_equal_row(result, x, y);
      AluOpLogicalAnd:   logical_and_row(result, x, y);
      AluOpLogicalOr:    logical_or_row(result, x, y);
      AluOpLogicalXor:   logical_xor_row(result, x, y);
      AluOpLogicalNot:   logical_not_row(result, x);
      AluOpBitwiseAnd:   and_row(result, x, y);
      AluOpBitwiseOr:    or_row(result, x, y);
      AluOpBitwiseXor:   xor_row(result, x, y);
      AluOpBitwiseNot:   not_row(result, x);
      AluOpShiftLeft:    shift_left_row(result, x, y);
      AluOpShiftRight:   shift_right_row(result, x, y);
      AluOpAbs:          abs_row(result, x);
      AluOpSquare:       mul_row(result, x, x);
      AluOpRelu:         max_row(result, x, '0);
      AluOpAbsMax:       abs_max_row(result, x, y);
      AluOpAbsMin:       abs_min_row(result, x, y);
      default:           result = x;
    endcase
  endfunction

  // Computes an operation on x and its second operand, which is one of three rows.
  function automatic void operate_row(output row_t result, input vector_pkg::alu_t alu, input row_t x, input row_t tensor,
                                      input row_t last, input row_t immediate);
    /* verilator no_inline_task */
    case ({alu.reverse, alu.second})
      {1'b0, vector_pkg::SecondTensor}: alu_row(result, alu.op, x, tensor);
      {1'b1, vector_pkg::SecondTensor}: alu_row(result, alu.op, tensor, x);
      {1'b0, vector_pkg::SecondResult}: alu_row(result, alu.op, x, last);
      {1'b1, vector_pkg::SecondResult}: alu_row(result, alu.op, last, x);
      {1'b1, vector_pkg::SecondImmediate}: alu_row(result, alu.op, immediate, x);
      default:                             alu_row(result, alu.op, x, immediate);
    endcase
  endfunction

  // Reduces one more row into the accumulator registers, in the lanes of the mask; with `anew` the row itself
  // is the result.
  function automatic void accumulate_row(output row_t result, input alu_op_e op, input logic anew, input row_t start,
                                         input row_t row, input row_t registers, input mask_t mask);
    /* verilator no_inline_task */
    row_t reduced;
    if (anew) reduced = row;
    else      alu_row(reduced, op, start, row);
    row_pkg::merge_row(result, registers, reduced, '1, mask);
  endfunction

  // Reduces the two bf16 elements of each word, the lower one first, into acc, or anew.
  function automatic void reduce_pair_row(output row_t result, input alu_op_e op, input logic anew, input row_t acc,
                                          input row_t words);
    /* verilator no_inline_task */
    row_t upper_bits, lower, upper, sum;
    row_pkg::extract_row(upper_bits, words, 2'd1, 2'd2);
    widen_lane_pkg::to_fp32_row(lower, words, DtypeBf16);
    widen_lane_pkg::to_fp32_row(upper, upper_bits, DtypeBf16);
    if (anew) sum = lower;
    else      alu_row(sum, op, acc, lower);
    alu_row(result, op, sum, upper);
  endfunction

  // Computes what the second stage makes of x, except for plain operations: the cases of make_e, and by
  // default the next element of a reduction. The result changes its sign with `negate`.
  function automatic void make_row(output row_t result, input vector_pkg::make_e make, input alu_op_e op, input logic invert,
                                   input logic begins, input logic negate, input row_t x, input row_t last, input row_t b,
                                   input row_t immediate, input row_t registers);
    /* verilator no_inline_task */
    row_t made;
    case (make)
      vector_pkg::MakeSelection:     select_row(made, b, x, immediate, invert);
      vector_pkg::MakeAccumulator:   made = registers;
      vector_pkg::MakePairReduction: reduce_pair_row(made, op, begins, last, x);
      default: begin
        if (begins) made = x;
        else        alu_row(made, op, last, x);
      end
    endcase
    if (negate) negate_row(result, made);
    else        result = made;
  endfunction

endpackage
