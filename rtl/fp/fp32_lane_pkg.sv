// fp32 addition and multiplication of one lane: subnormals flush in and out (tininess after rounding), one
// rounding to nearest even, every NaN result canonical. All row functions are built from these.
//
// The code is written for a simulator that turns loops over lanes into vector code, so it has no control
// flow. Where a condition, or one that follows from it, is needed twice, the second use is a {32{...}} mask
// or a mask of bits, because the C++ compiler would turn two related `?:` into branches.
package fp32_lane_pkg;
  import cfg_pkg::Lanes;

  // A word for each lane: the arguments and results of row functions.
  typedef logic [Lanes-1:0][31:0] lanes_t;

  localparam logic [31:0] CanonicalNan = 32'h7fc0_0000;
  localparam logic [31:0] Infinity = 32'h7f80_0000;
  localparam logic [31:0] SignBit = 32'h8000_0000;
  localparam logic [31:0] One = 32'h3f80_0000;

  // Inside the lane functions an exponent is a code, CodeBias + the exponent field, so that underflow stays positive; CodeBias
  // << 23 vanishes in 32 bits. Codes above CodeLimit belong to infinities: a finite product has 1406 at most, an infinity 2303
  // (more than 31 above that) and a product with one at least 2048. Packing is safe up to CodeLimit.
  localparam logic [31:0] CodeBias = 32'd1024;
  localparam logic [31:0] CodeLimit = 32'd1533;
  // The code of an infinity with an arbitrary significand.
  localparam logic [31:0] InfiniteCode = 2 * CodeBias + 32'd300;

  function automatic logic [31:0] is_nan(logic [31:0] value);
    return {32{(value << 1) > 32'hff00_0000}};
  endfunction

  // Turns subnormals into zero of their sign.
  function automatic logic [31:0] flush(logic [31:0] value);
    return value & (SignBit | {32{(value & Infinity) != 32'd0}});
  endfunction

  // Exponent code and significand of an fp32 value. The significand has its leading one in bit 29 over 6
  // guard bits, and is 0 for zero. A NaN gives those of infinity, except for the lower bits of the
  // significand.
  function automatic logic [31:0] finite_code_of(logic [31:0] value);
    return ((value >> 23) & 32'hff) | CodeBias;
  endfunction

  function automatic logic [31:0] code_of(logic [31:0] value);
    logic [31:0] code;
    code = finite_code_of(value);
    return code + (CodeBias & {32{code == CodeBias + 32'd255}});
  endfunction

  function automatic logic [31:0] sig_of(logic [31:0] value, logic [31:0] code);
    return (((value << 6) & 32'h1fff_ffc0) | 32'h2000_0000) & {32{code > CodeBias}};
  endfunction

  // Returns the number of zeros above the leading one, 31 for zero.
  function automatic logic [31:0] leading_zeros(logic [31:0] value);
    logic [31:0] shifted, step, count;
    count = 32'd16 & {32{value < 32'h0001_0000}};
    shifted = value << (count & 32'd31);
    step = 32'd8 & {32{shifted < 32'h0100_0000}};
    shifted = shifted << (step & 32'd31);
    count = count + step;
    step = 32'd4 & {32{shifted < 32'h1000_0000}};
    shifted = shifted << (step & 32'd31);
    count = count + step;
    step = 32'd2 & {32{shifted < 32'h4000_0000}};
    shifted = shifted << (step & 32'd31);
    return count + step + (32'd1 & {32{shifted < 32'h8000_0000}});
  endfunction

  // Returns the fp32 value of a two's complement integer, rounded to nearest even. The leading one goes to
  // bit 31, so that 8 bits are below the last place. After the shift by 8 it adds one to the exponent field,
  // which is therefore set one lower; a carry of the rounding adds one as well.
  function automatic logic [31:0] from_signed(logic [31:0] value);
    logic [31:0] negative, mag, zeros, kept, rounded;
    negative = {32{value[31]}};
    mag = (value ^ negative) - negative;
    zeros = leading_zeros(mag);
    mag = mag << (zeros & 32'd31);
    kept = mag >> 8;
    rounded = kept + (((mag & 32'hff) + 32'h7f + (kept & 32'd1)) >> 8);
    rounded = (rounded + ((32'd157 - zeros) << 23)) & {32{mag != 32'd0}};
    return rounded | (value & SignBit);
  endfunction

  // Returns the magnitude of a value of from_signed, times a power of two, with a sign: bit 29 of the integer
  // gets the exponent code. Codes are from CodeBias - 127 to CodeBias + 383, or an infinity's. CodeBias << 23
  // vanishes in the sum of the exponents, which wraps around: exponents that are too small, flushed after
  // rounding, are above those that are too large.
  function automatic logic [31:0] scale(logic [31:0] sign, logic [31:0] code, logic [31:0] value);
    logic [31:0] word, result;
    word = (value & ~SignBit) + ((code - 32'd156) << 23);
    result = (word > Infinity) ? Infinity : word;
    result = result & {32{(value != 32'd0) & ((word - 32'h0080_0000) < 32'hc000_0000)}};
    return result | (sign & SignBit);
  endfunction

  // Returns a + b, rounded, except for NaN. The signs are in bit 31 of words with arbitrary other bits. Bit 6
  // is the unit of the significands; the leading one is bit 29 or, for a product (a), bit 28. A zero's code
  // is below that of any value it is added to, or the sum flushes.
  function automatic logic [31:0] add_unpacked(logic [31:0] sign_a, logic [31:0] code_a, logic [31:0] sig_a,
                                               logic [31:0] sign_b, logic [31:0] code_b, logic [31:0] sig_b);
    logic [31:0] upper, lower, code, distance, sign, unlike, aligned, restored, sum;
    unlike = sign_a ^ sign_b;

    // Aligns the addend with the lower exponent; the bits that are shifted out are jammed into its lowest
    // bit.
    upper = (code_a > code_b) ? sig_a : sig_b;
    lower = (code_a > code_b) ? sig_b : sig_a;
    sign = (code_a > code_b) ? sign_a : sign_b;
    code = (code_a > code_b) ? code_a : code_b;
    distance = code - ((code_a > code_b) ? code_b : code_a);
    distance = (distance > 32'd31) ? 32'd31 : distance;
    aligned = lower >> (distance & 32'd31);
    restored = aligned << (distance & 32'd31);
    aligned = (restored != lower) ? aligned | 32'd1 : aligned;

    // At equal exponents, or with the leading one of a product in bit 28, the difference can be negative. An
    // exact difference of zero is +0.
    sum = from_signed((unlike >= SignBit) ? upper - aligned : upper + aligned);
    sign = (sum == 32'd0) ? sign_a & sign_b : sign ^ sum;
    return scale(sign, code, sum);
  endfunction

  function automatic logic [31:0] add_lane(logic [31:0] a, logic [31:0] b);
    logic [31:0] code_a, code_b, sum, lower_code, invalid;
    code_a = code_of(a);
    code_b = code_of(b);
    sum = add_unpacked(a, code_a, sig_of(a, code_a), b, code_b, sig_of(b, code_b));
    lower_code = (code_a > code_b) ? code_b : code_a;
    // Infinities of unlike sign give NaN.
    invalid = ({32{lower_code > CodeLimit}} & (a ^ b)) | is_nan(a) | is_nan(b);
    return (invalid >= SignBit) ? CanonicalNan : sum;
  endfunction

  // The 48-bit product of the significands is put together from 12-bit halves; its lower bits become one
  // sticky bit.
  function automatic logic [31:0] mul_lane(logic [31:0] a, logic [31:0] b);
    logic [31:0] code_a, code_b, sig_a, sig_b, middle, low, high, mag, code, product, invalid;
    code_a = code_of(a);
    code_b = code_of(b);
    sig_a = sig_of(a, code_a) >> 6;
    sig_b = sig_of(b, code_b) >> 6;
    middle = (sig_a >> 12) * (sig_b & 32'hfff) + (sig_a & 32'hfff) * (sig_b >> 12);
    low = (sig_a & 32'hfff) * (sig_b & 32'hfff) + ((middle & 32'hfff) << 12);
    high = (sig_a >> 12) * (sig_b >> 12) + (middle >> 12) + (low >> 24);
    low = low & 32'hff_ffff;
    mag = (high << 7) | (low >> 17) | (32'd1 & {32{(low & 32'h1_ffff) != 32'd0}});
    // The leading one of the product is bit 29 or 30.
    code = code_a + code_b - (CodeBias + 32'd127);
    code = (code > CodeLimit) ? InfiniteCode : code;
    product = scale(a ^ b, code, from_signed(mag));
    // Infinity times zero gives NaN.
    invalid = {32{(mag == 32'd0) & (code > CodeLimit)}} | is_nan(a) | is_nan(b);
    return (product & ~invalid) | (CanonicalNan & invalid);
  endfunction
endpackage
