// Operations on all lanes: one ALU operation, fp32 and rounded once or, for bit operations, on the bits; reduction of pairs.
package vector_alu_pkg;

  import isa_pkg::*;
  import core_pkg::*;
  import vector_lane_pkg::*;
  import logic_lane_pkg::*;
  import bit_lane_pkg::*;

  // result = x op y; operations with one operand take x.
  function automatic void alu_row(output row_t result, input alu_op_e op, input row_t x, input row_t y);
    /* verilator no_inline_task */
    row_t x_magnitude, y_magnitude;
    case (op)
      AluOpAdd:          add_row(result, x, y);
      AluOpSubtract:     sub_row(result, x, y);
      AluOpMultiply:     mul_row(result, x, y);
      AluOpMax:          max_row(result, x, y);
      AluOpMin:          min_row(result, x, y);
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
      AluOpReciprocal:   reciprocal_lane_pkg::reciprocal_row(result, x);
      AluOpSquare:       mul_row(result, x, x);
      AluOpRelu:         max_row(result, x, '0);
      AluOpAbsMax, AluOpAbsMin: begin
        abs_row(x_magnitude, x);
        abs_row(y_magnitude, y);
        if (op == AluOpAbsMax) max_row(result, x_magnitude, y_magnitude);
        else                   min_row(result, x_magnitude, y_magnitude);
      end
      default: result = x;
    endcase
  endfunction

  // Two bf16 elements of each word, the lower one first, reduced into acc, or reduced anew.
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

endpackage
