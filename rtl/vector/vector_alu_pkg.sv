// One ALU operation on all lanes, fp32, rounded once.
package vector_alu_pkg;

  import isa_pkg::*;
  import core_pkg::*;
  import vector_lane_pkg::*;

  localparam logic [31:0] SignBit = 32'h8000_0000;

  // The lanes with the opposite sign.
  function automatic void negate_row(output row_t result, input row_t x);
    /* verilator no_inline_task */
    for (int unsigned i = 0; i < cfg_pkg::Lanes; i++) result[i] = x[i] ^ SignBit;
  endfunction

  // result = x op y; operations with one operand take x.
  function automatic void alu_row(output row_t result, input alu_op_e op, input row_t x, input row_t y);
    /* verilator no_inline_task */
    row_t other;
    case (op)
      AluOpAdd:      add_row(result, x, y);
      AluOpSubtract: sub_row(result, x, y);
      AluOpMultiply: mul_row(result, x, y);
      AluOpMax:      max_row(result, x, y);
      AluOpMin:      min_row(result, x, y);
      AluOpSquare:   mul_row(result, x, x);
      AluOpRelu:     max_row(result, x, '0);
      AluOpAbs: begin
        negate_row(other, x);
        max_row(result, x, other);
      end
      default: result = x;
    endcase
  endfunction

endpackage
