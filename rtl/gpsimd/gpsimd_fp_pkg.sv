// IEEE 754 binary32 arithmetic: subnormals, all rounding modes of RISC-V, exception flags, tininess after rounding. Every NaN
// result is canonical.
package gpsimd_fp_pkg;

  import gpsimd_pkg::*;

  localparam logic [31:0] CanonicalNan = 32'h7fc0_0000;
  localparam logic [31:0] Infinity = 32'h7f80_0000;
  localparam logic [31:0] Largest = 32'h7f7f_ffff;
  localparam fflags_t FlagInvalid = 5'h10;
  localparam fflags_t FlagDivide = 5'h08;
  localparam fflags_t FlagOverflow = 5'h05;  // includes inexact

  function automatic logic is_nan(logic [31:0] a);
    return a[30:0] > Infinity[30:0];
  endfunction

  function automatic logic is_signaling(logic [31:0] a);
    return is_nan(a) & ~a[22];
  endfunction

  function automatic logic is_infinite(logic [31:0] a);
    return a[30:0] == Infinity[30:0];
  endfunction

  function automatic logic is_zero(logic [31:0] a);
    return a[30:0] == '0;
  endfunction

  // Returns the number of zeros above the leading one, 63 for zero.
  function automatic logic [5:0] zeros_above(logic [63:0] value);
    logic [63:0] shifted;
    logic [5:0]  step, count;
    step = (value < 64'h1_0000_0000) ? 6'd32 : 6'd0;
    count = step;
    shifted = value << step;
    step = (shifted[63:48] == '0) ? 6'd16 : 6'd0;
    count = count + step;
    shifted = shifted << step;
    step = (shifted[63:56] == '0) ? 6'd8 : 6'd0;
    count = count + step;
    shifted = shifted << step;
    step = (shifted[63:60] == '0) ? 6'd4 : 6'd0;
    count = count + step;
    shifted = shifted << step;
    step = (shifted[63:62] == '0) ? 6'd2 : 6'd0;
    count = count + step;
    shifted = shifted << step;
    return shifted[63] ? count : count + 6'd1;
  endfunction

  // Shifts right; if a lost bit was 1, the lowest bit becomes 1.
  function automatic logic [63:0] shift_sticky(logic [63:0] value, logic [31:0] distance);
    logic [63:0] shifted;
    logic [5:0]  limited;
    limited = (distance > 32'd63) ? 6'd63 : distance[5:0];
    shifted = value >> limited;
    return shifted | 64'((shifted << limited) != value);
  endfunction

  // Return the exponent (biased; below 1 for subnormals) and the significand with its leading one in bit 23,
  // of a number that is not zero.
  function automatic logic [31:0] exponent_of(logic [31:0] a);
    return (a[30:23] == '0) ? 32'd41 - 32'(zeros_above({41'b0, a[22:0]})) : 32'(a[30:23]);
  endfunction

  function automatic logic [23:0] significand_of(logic [31:0] a);
    return (a[30:23] == '0) ? {1'b0, a[22:0]} << (zeros_above({41'b0, a[22:0]}) - 6'd40) : {1'b1, a[22:0]};
  endfunction

  function automatic logic round_up(logic sign, logic last, logic guard, logic sticky, logic [2:0] rm);
    case (rm)
      RoundNearest: return guard & (sticky | last);
      RoundDown: return sign & (guard | sticky);
      RoundUp: return ~sign & (guard | sticky);
      RoundMax: return guard;
      default: return 1'b0;
    endcase
  endfunction

  // Rounds a magnitude with its leading one in bit 63, which stands for 2^(exponent - 127).
  function automatic fp_result_t round(logic sign, logic [31:0] exponent, logic [63:0] magnitude, logic [2:0] rm);
    /* verilator no_inline_task */
    fp_result_t  result;
    logic        subnormal, carry, inexact, tiny, up, infinite;
    logic [63:0] aligned;
    logic [31:0] field, packed_value;
    subnormal = exponent[31] | (exponent == '0);
    aligned = subnormal ? shift_sticky(magnitude, 32'd1 - exponent) : magnitude;
    field = subnormal ? '0 : exponent - 32'd1;
    field = (field > 32'd300) ? 32'd300 : field;
    inexact = aligned[39:0] != '0;
    up = round_up(sign, aligned[40], aligned[39], aligned[38:0] != '0, rm);
    packed_value = {field[8:0], 23'b0} + {8'b0, aligned[63:40]} + {31'b0, up};
    // A number just below the smallest normal one may reach it by rounding to 24 bits.
    carry = (magnitude[63:40] == '1)
          & round_up(sign, magnitude[40], magnitude[39], magnitude[38:0] != '0, rm);
    tiny = subnormal & ~((exponent == '0) & carry);
    infinite = (rm == RoundNearest) | (rm == RoundMax) | (sign ? rm == RoundDown : rm == RoundUp);
    if (packed_value >= Infinity) begin
      result.value = {sign, infinite ? Infinity[30:0] : Largest[30:0]};
      result.flags = FlagOverflow;
    end else begin
      result.value = {sign, packed_value[30:0]};
      result.flags = {3'b0, tiny & inexact, inexact};
    end
    return result;
  endfunction

  // Computes a * b + c. Additions have b = 1; multiplications have a zero with the product's sign as c.
  function automatic fp_result_t fma(logic [31:0] a, logic [31:0] b, logic [31:0] c, logic [2:0] rm);
    /* verilator no_inline_task */
    fp_result_t  result;
    logic        sign_p, sign, zero_p, unlike, invalid, product_upper;
    logic [31:0] exponent_p, exponent_c, exponent, distance;
    logic [63:0] product, addend, upper, lower, sum;
    logic [5:0]  zeros;
    sign_p = a[31] ^ b[31];
    unlike = sign_p ^ c[31];
    zero_p = is_zero(a) | is_zero(b);
    // Bit 61 stands for 2^(exponent - 127); the leading one of a product is in bit 61 or 62.
    exponent_p = zero_p ? -32'd500 : exponent_of(a) + exponent_of(b) - 32'd127;
    exponent_c = is_zero(c) ? -32'd500 : exponent_of(c);
    product = zero_p ? '0 : (64'(significand_of(a)) * 64'(significand_of(b))) << 15;
    addend = is_zero(c) ? '0 : {2'b0, significand_of(c), 38'b0};
    product_upper = (exponent_p + 32'd1024) >= (exponent_c + 32'd1024);
    exponent = product_upper ? exponent_p : exponent_c;
    distance = product_upper ? exponent_p - exponent_c : exponent_c - exponent_p;
    upper = product_upper ? product : addend;
    lower = shift_sticky(product_upper ? addend : product, distance);
    sign = product_upper ? sign_p : c[31];
    sum = unlike ? upper - lower : upper + lower;
    if (unlike & sum[63]) begin
      sum = -sum;
      sign = ~sign;
    end
    zeros = zeros_above(sum);
    result = round(sign, exponent + 32'd2 - 32'(zeros), sum << zeros, rm);
    if (sum == '0) result = {5'b0, unlike ? rm == RoundDown : sign_p, 31'b0};
    invalid = (is_infinite(a) & is_zero(b)) | (is_zero(a) & is_infinite(b));
    if (is_infinite(a) | is_infinite(b)) result = {5'b0, sign_p, Infinity[30:0]};
    if (is_infinite(c)) begin
      result = {5'b0, c[31], Infinity[30:0]};
      invalid |= (is_infinite(a) | is_infinite(b)) & unlike & ~is_nan(a) & ~is_nan(b);
    end
    invalid |= is_signaling(a) | is_signaling(b) | is_signaling(c);
    if (invalid | is_nan(a) | is_nan(b) | is_nan(c)) result = {invalid ? FlagInvalid : 5'b0, CanonicalNan};
    return result;
  endfunction

  // Computes an operation of the adder and multiplier as a * b + c: any of FpAdd to FpNmadd.
  function automatic fp_result_t multiply_add(fp_op_e op, logic [31:0] a, logic [31:0] b, logic [31:0] c, logic [2:0] rm);
    logic [31:0] x, y, z;
    x = a;
    y = b;
    z = c;
    case (op)
      FpAdd: {y, z} = {32'h3f80_0000, b};
      FpSub: {y, z} = {32'h3f80_0000, b ^ 32'h8000_0000};
      FpRsub: {x, y, z} = {b, 32'h3f80_0000, a ^ 32'h8000_0000};
      FpMul: z = {a[31] ^ b[31], 31'b0};
      FpMsub: z[31] = ~c[31];
      FpNmsub: x[31] = ~a[31];
      FpNmadd: {x[31], z[31]} = {~a[31], ~c[31]};
      default: ;
    endcase
    return fma(x, y, z, rm);
  endfunction

  // Compares numbers; zeros are equal. Must not be used for NaN.
  function automatic logic is_less(logic [31:0] a, logic [31:0] b);
    if (is_zero(a) & is_zero(b)) return 1'b0;
    if (a[31] != b[31]) return a[31];
    return a[31] ? a[30:0] > b[30:0] : a[30:0] < b[30:0];
  endfunction

  function automatic fp_result_t min_max(logic maximum, logic [31:0] a, logic [31:0] b);
    fp_result_t result;
    logic       less;
    less = is_less(a, b) | (is_zero(a) & is_zero(b) & a[31] & ~b[31]);
    result.flags = (is_signaling(a) | is_signaling(b)) ? FlagInvalid : '0;
    result.value = (less ^ maximum) ? a : b;
    if (is_nan(a)) result.value = b;
    if (is_nan(b)) result.value = a;
    if (is_nan(a) & is_nan(b)) result.value = CanonicalNan;
    return result;
  endfunction

  function automatic fp_result_t compare(fp_op_e op, logic [31:0] a, logic [31:0] b);
    logic truth, unordered, equal, quiet;
    unordered = is_nan(a) | is_nan(b);
    equal = (a == b) | (is_zero(a) & is_zero(b));
    quiet = (op == FpEq) | (op == FpNe);
    case (op)
      FpEq: truth = equal & ~unordered;
      FpNe: truth = ~equal | unordered;
      FpLt: truth = is_less(a, b) & ~unordered;
      FpLe: truth = (is_less(a, b) | equal) & ~unordered;
      FpGt: truth = is_less(b, a) & ~unordered;
      default: truth = (is_less(b, a) | equal) & ~unordered;
    endcase
    return {(quiet ? is_signaling(a) | is_signaling(b) : unordered) ? FlagInvalid : 5'b0, 31'b0, truth};
  endfunction

  function automatic logic [31:0] classify(logic [31:0] a);
    logic [3:0] class_number;  // class of a positive number; those of negative ones are mirrored
    class_number = 4'd6;
    if (a[30:23] == '0) class_number = 4'd5;
    if (is_zero(a)) class_number = 4'd4;
    if (is_infinite(a)) class_number = 4'd7;
    if (a[31]) class_number = 4'd7 - class_number;
    if (is_nan(a)) class_number = a[22] ? 4'd9 : 4'd8;
    return 32'd1 << class_number;
  endfunction

  // Converts to an integer of `bits` (16 or 32) bits, in the lower bits of the result and extended by its
  // sign.
  function automatic fp_result_t to_integer(logic [31:0] a, logic is_signed, logic [5:0] bits, logic [2:0] rm);
    fp_result_t  result;
    logic [63:0] fixed, magnitude, limit;
    logic [31:0] largest;
    // 32.32 fixed point; greater values do not fit.
    fixed = '0;
    if (a[30:23] >= 8'd158) fixed = {8'b0, 1'b1, a[22:0], 32'b0} << 8;
    else fixed = shift_sticky({1'b0, a[30:23] != '0, a[22:0], 39'b0}, 32'd157 - 32'(a[30:23]));
    magnitude = {32'b0, fixed[63:32]} + 64'(round_up(a[31], fixed[32], fixed[31], fixed[30:0] != '0, rm));
    limit = is_signed ? (64'd1 << (bits - 6'd1)) - 64'd1 + 64'(a[31]) : a[31] ? 64'd0 : (64'd1 << bits) - 64'd1;
    largest = is_signed ? (32'hffff_ffff >> (6'd33 - bits)) : 32'hffff_ffff >> (6'd32 - bits);
    if (is_nan(a)) begin
      result = {FlagInvalid, largest};
    end else if ((magnitude > limit) | (a[30:23] > 8'd158)) begin
      result = {FlagInvalid, a[31] ? (is_signed ? ~largest : 32'd0) : largest};
    end else begin
      result.value = a[31] ? -magnitude[31:0] : magnitude[31:0];
      result.flags = {4'b0, fixed[31:0] != '0};
    end
    return result;
  endfunction

  function automatic fp_result_t from_integer(logic [31:0] a, logic is_signed, logic [2:0] rm);
    logic        sign;
    logic [63:0] magnitude;
    logic [5:0]  zeros;
    sign = is_signed & a[31];
    magnitude = {sign ? -a : a, 32'b0};
    zeros = zeros_above(magnitude);
    if (a == '0) return '0;
    return round(sign, 32'd158 - 32'(zeros), magnitude << zeros, rm);
  endfunction

  // Executes any operation except division and square root; `bits` is the width of an integer.
  function automatic fp_result_t execute(fp_op_e op, logic [31:0] a, logic [31:0] b, logic [31:0] c, logic [2:0] rm,
                                         logic [5:0] bits);
    /* verilator no_inline_task */
    case (op)
      FpAdd, FpSub, FpRsub, FpMul, FpMadd, FpMsub, FpNmsub, FpNmadd: return multiply_add(op, a, b, c, rm);
      FpSgnj: return {5'b0, b[31], a[30:0]};
      FpSgnjn: return {5'b0, ~b[31], a[30:0]};
      FpSgnjx: return {5'b0, a[31] ^ b[31], a[30:0]};
      FpMin: return min_max(1'b0, a, b);
      FpMax: return min_max(1'b1, a, b);
      FpEq, FpNe, FpLt, FpLe, FpGt, FpGe: return compare(op, a, b);
      FpToInt: return to_integer(a, 1'b1, bits, rm);
      FpToUint: return to_integer(a, 1'b0, bits, rm);
      FpFromInt: return from_integer(a, 1'b1, rm);
      FpFromUint: return from_integer(a, 1'b0, rm);
      FpClass: return {5'b0, classify(a)};
      default: return {5'b0, a};
    endcase
  endfunction

endpackage
