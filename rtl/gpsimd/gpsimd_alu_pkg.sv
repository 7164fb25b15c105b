// Integer arithmetic of the scalar side, and the steps of the dividers.
package gpsimd_alu_pkg;

  import gpsimd_pkg::*;

  function automatic logic [31:0] alu(alu_op_e op, logic [31:0] a, logic [31:0] b);
    case (op)
      AluAdd: return a + b;
      AluSub: return a - b;
      AluSll: return a << b[4:0];
      AluSlt: return {31'b0, {~a[31], a[30:0]} < {~b[31], b[30:0]}};
      AluSltu: return {31'b0, a < b};
      AluXor: return a ^ b;
      AluSrl: return a >> b[4:0];
      AluSra: return unsigned'($signed(a) >>> b[4:0]);
      AluOr: return a | b;
      AluAnd: return a & b;
      default: return b;
    endcase
  endfunction

  function automatic logic branch_taken(logic [2:0] funct3, logic [31:0] a, logic [31:0] b);
    logic less;
    less = funct3[1] ? a < b : {~a[31], a[30:0]} < {~b[31], b[30:0]};
    return (funct3[2] ? less : a == b) ^ funct3[0];
  endfunction

  // mul, mulh, mulhsu or mulhu, chosen by funct3.
  function automatic logic [31:0] multiply(logic [1:0] funct, logic [31:0] a, logic [31:0] b);
    logic [63:0] product;
    product = {{32{a[31] & (funct != 2'd3)}}, a} * {{32{b[31] & ~funct[1]}}, b};
    return (funct == 2'd0) ? product[31:0] : product[63:32];
  endfunction

  // The state of a divider. Each step of a division makes a bit of the quotient and shifts it into the
  // dividend; each step of a square root makes a bit of the root from two bits of the radicand.
  typedef struct packed {
    logic [31:0] remainder;
    logic [31:0] quotient;   // or root
    logic [31:0] divisor;    // or radicand
  } divider_t;

  function automatic divider_t divide_step(divider_t s);
    divider_t    next;
    logic [32:0] remainder;
    logic        fits;
    remainder = {s.remainder, s.quotient[31]};
    fits = remainder >= {1'b0, s.divisor};
    next.remainder = fits ? remainder[31:0] - s.divisor : remainder[31:0];
    next.quotient = {s.quotient[30:0], fits};
    next.divisor = s.divisor;
    return next;
  endfunction

  function automatic divider_t root_step(divider_t s);
    divider_t    next;
    logic [31:0] remainder, trial;
    logic        fits;
    remainder = {s.remainder[29:0], s.divisor[31:30]};
    trial = {s.quotient[29:0], 2'b01};
    fits = remainder >= trial;
    next.remainder = fits ? remainder - trial : remainder;
    next.quotient = {s.quotient[30:0], fits};
    next.divisor = s.divisor << 2;
    return next;
  endfunction

  // Starts an integer division of magnitudes. `size` 0 to 2 stands for 8, 16 and 32 bits, which is also the
  // number of steps.
  function automatic divider_t divide_start(logic is_signed, logic [1:0] size, logic [31:0] a, logic [31:0] b);
    divider_t s;
    s.remainder = '0;
    s.quotient = ((is_signed & a[31]) ? -a : a) << (6'd32 - (6'd8 << size));
    s.divisor = (is_signed & b[31]) ? -b : b;
    return s;
  endfunction

  // Operands are extended to 32 bits. Division by zero gives a quotient of all ones and the dividend as the
  // remainder.
  function automatic logic [31:0] divide_finish(divider_t s, logic is_signed, logic is_remainder, logic [31:0] a,
                                                logic [31:0] b);
    logic [31:0] value;
    logic        negative;
    value = is_remainder ? s.remainder : s.quotient;
    negative = is_signed & (is_remainder ? a[31] : a[31] ^ b[31]);
    value = negative ? -value : value;
    if (b == '0) value = is_remainder ? a : '1;
    return value;
  endfunction

  // Floating-point division and square root: 27 bits of the quotient; the remainder of the last step becomes
  // a sticky bit.
  localparam logic [5:0] FpSteps = 6'd27;

  function automatic divider_t fp_start(logic root, logic [31:0] a, logic [31:0] b);
    divider_t    s;
    logic [31:0] exponent;
    logic [23:0] significand;
    significand = gpsimd_fp_pkg::significand_of(a);
    exponent = gpsimd_fp_pkg::exponent_of(a);
    s.quotient = '0;
    s.remainder = '0;
    if (root) begin
      // The bias is odd, so an even field is an odd exponent.
      s.divisor = {8'b0, significand} << (exponent[0] ? 5'd7 : 5'd8);
    end else begin
      s.remainder = {9'b0, significand[23:1]};
      s.quotient = {significand[0], 31'b0};
      s.divisor = {8'b0, gpsimd_fp_pkg::significand_of(b)};
    end
    return s;
  endfunction

  function automatic fp_result_t fp_finish(divider_t s, logic root, logic [31:0] a, logic [31:0] b, logic [2:0] rm);
    /* verilator no_inline_task */
    fp_result_t  result;
    logic [31:0] exponent;
    logic [63:0] magnitude;
    logic        sign, invalid;
    sign = root ? 1'b0 : a[31] ^ b[31];
    exponent = root ? (gpsimd_fp_pkg::exponent_of(a) + 32'd127) >> 1
                    : gpsimd_fp_pkg::exponent_of(a) - gpsimd_fp_pkg::exponent_of(b) + 32'd127;
    magnitude = {s.quotient[26:0], 36'b0, s.remainder != '0};
    if (~s.quotient[26]) begin
      exponent = exponent - 32'd1;
      magnitude = magnitude << 1;
    end
    result = gpsimd_fp_pkg::round(sign, exponent, magnitude, rm);
    if (root) begin
      invalid = gpsimd_fp_pkg::is_signaling(a) | (a[31] & ~gpsimd_fp_pkg::is_zero(a) & ~gpsimd_fp_pkg::is_nan(a));
      if (gpsimd_fp_pkg::is_zero(a) | gpsimd_fp_pkg::is_infinite(a)) result = {5'b0, a};
      if (invalid | gpsimd_fp_pkg::is_nan(a)) begin
        result = {invalid ? gpsimd_fp_pkg::FlagInvalid : 5'b0, gpsimd_fp_pkg::CanonicalNan};
      end
    end else begin
      invalid = gpsimd_fp_pkg::is_signaling(a) | gpsimd_fp_pkg::is_signaling(b)
              | (gpsimd_fp_pkg::is_zero(a) & gpsimd_fp_pkg::is_zero(b))
              | (gpsimd_fp_pkg::is_infinite(a) & gpsimd_fp_pkg::is_infinite(b));
      if (gpsimd_fp_pkg::is_zero(a) | gpsimd_fp_pkg::is_infinite(b)) result = {5'b0, sign, 31'b0};
      if (gpsimd_fp_pkg::is_infinite(a)) result = {5'b0, sign, gpsimd_fp_pkg::Infinity[30:0]};
      if (gpsimd_fp_pkg::is_zero(b) & ~gpsimd_fp_pkg::is_infinite(a)) begin
        result = {gpsimd_fp_pkg::FlagDivide, sign, gpsimd_fp_pkg::Infinity[30:0]};
      end
      if (invalid | gpsimd_fp_pkg::is_nan(a) | gpsimd_fp_pkg::is_nan(b)) begin
        result = {invalid ? gpsimd_fp_pkg::FlagInvalid : 5'b0, gpsimd_fp_pkg::CanonicalNan};
      end
    end
    return result;
  endfunction

endpackage
