// fp32 addition and multiplication of one lane: subnormals flush in and out (tininess after rounding), one rounding to
// nearest even, every NaN result canonical. The building blocks of all row functions.
//
// Written for a simulator that turns loops over lanes into vector code: no control flow; where a condition or one that
// follows from it is needed twice, the second use is a {32{...}} mask or a mask of bits, since the C++ compiler would turn two
// related `?:` into branches.
package fp32_lane_pkg;
  import cfg_pkg::Lanes;

  // A word for each lane: what row functions take and make.
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
  // The code of an infinity whose significand is any.
  localparam logic [31:0] InfiniteCode = 2 * CodeBias + 32'd300;

  function automatic logic [31:0] is_nan(logic [31:0] value);
    return {32{(value << 1) > 32'hff00_0000}};
  endfunction

  // Subnormals become zero of their sign.
  function automatic logic [31:0] flush(logic [31:0] value);
    return value & (SignBit | {32{(value & Infinity) != 32'd0}});
  endfunction

  // Exponent code, and significand (leading one in bit 29 over 6 guard bits, 0 for zero) of an fp32 value; of a NaN those of
  // infinity, but for the significand's lower bits.
  function automatic logic [31:0] finite_code_of(logic [31:0] value);
    return ((value >> 23) & 32'hff) | CodeBias;
  endfunction

  function automatic logic [31:0] code_of(logic [31:0] value);
    logic [31:0] code;
    code = finite_code_of(value);
    return code + (CodeBias & {32{code == CodeBias + 32'd255}});
  endfunction

  function automatic logic [31:0] sig_of(logic [31:0] value, logic [31:0] code);
    return (((value << 6) & 32'h1fff_ffc0) | 32'h2000_0000) & {32{code != CodeBias}};
  endfunction

  // Rounds a magnitude whose leading one is bit 30 (or zero, whatever the code) and packs it. Below the last place are 7 bits,
  // the lowest sticky. A set last place acts as one more sticky bit, which makes ties go to even. One addition joins code and
  // significand, whose leading one and rounding carry raise the exponent field: the word stands 1 << 23 too high until
  // flushing has subtracted that.
  function automatic logic [31:0] round_and_pack(logic [31:0] sign, logic [31:0] code, logic [31:0] mag);
    logic [31:0] nonzero, limited, result;
    nonzero = {32{mag != 32'd0}};
    result = ((mag | ((mag >> 7) & 32'd1)) + 32'h3f) >> 7;
    limited = (code < CodeBias - 32'd1) ? CodeBias - 32'd1 : code;
    limited = (limited > CodeLimit) ? CodeLimit : limited;
    result = (result + (limited << 23)) & nonzero;
    result = (result < 32'h0100_0000) ? 32'h0080_0000 : result;
    result = (result > 32'h8000_0000) ? 32'h8000_0000 : result;
    result = result - 32'h0080_0000;
    return result | (sign & SignBit);
  endfunction

  // Zeros above the leading one; 31 for zero.
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

  // Shifts the leading one of a magnitude below 2^31 to bit 30. The code of a magnitude whose leading one is bit 29 stays.
  function automatic void normalize(inout logic [31:0] code, inout logic [31:0] mag);
    logic [31:0] zeros;
    zeros = leading_zeros(mag << 1);
    code = code - zeros + 32'd1;
    mag = mag << (zeros & 32'd31);
  endfunction

  // As round_and_pack for a sum. Its code is from CodeBias - 29 to 1408, or within 2 of an infinity's: raised by 32, the nine bits of
  // it that the word takes are in the order of the exponents, so that values too small are below all others and those too large
  // above.
  function automatic logic [31:0] pack_sum(logic [31:0] sign, logic [31:0] code, logic [31:0] mag, logic nonzero);
    logic [31:0] word, result;
    word = (((mag | ((mag >> 7) & 32'd1)) + 32'h3f) >> 7) + ((code + 32'd32) << 23);
    result = (word > 32'h9000_0000) ? 32'h9000_0000 : word;
    result = (result - 32'h1080_0000) & {32{nonzero & (word >= 32'h1100_0000)}};
    return result | (sign & SignBit);
  endfunction

  // a + b, rounded, but for NaN. The signs stand in bit 31 of words whose other bits do not matter. Significands have their
  // units in bit 6; the leading one is bit 29 or, for a product (a), bit 28. A zero's code is below that of any value it is
  // added to, or the sum flushes.
  function automatic logic [31:0] add_unpacked(logic [31:0] sign_a, logic [31:0] code_a, logic [31:0] sig_a,
                                               logic [31:0] sign_b, logic [31:0] code_b, logic [31:0] sig_b);
    logic [31:0] upper, lower, code, distance, sign, unlike, aligned, restored, sum, negated, mag;
    unlike = sign_a ^ sign_b;

    // Align the addend of the lower exponent; what is shifted out is jammed into its lowest bit.
    upper = (code_a > code_b) ? sig_a : sig_b;
    lower = (code_a > code_b) ? sig_b : sig_a;
    sign = (code_a > code_b) ? sign_a : sign_b;
    code = (code_a > code_b) ? code_a : code_b;
    distance = code - ((code_a > code_b) ? code_b : code_a);
    distance = (distance > 32'd31) ? 32'd31 : distance;
    aligned = lower >> (distance & 32'd31);
    restored = aligned << (distance & 32'd31);
    aligned = (restored != lower) ? aligned | 32'd1 : aligned;

    // At equal exponents, or with the leading one of a product in bit 28, the difference can turn out negative. An exact
    // difference of zero is +0.
    sum = (unlike >= SignBit) ? upper - aligned : upper + aligned;
    negated = 32'd0 - sum;
    mag = (sum < negated) ? sum : negated;
    sign = (sum == 32'd0) ? sign_a & sign_b : sign ^ sum;
    normalize(code, mag);
    return pack_sum(sign, code, mag, sum != 32'd0);
  endfunction

  function automatic logic [31:0] add_lane(logic [31:0] a, logic [31:0] b);
    logic [31:0] code_a, code_b, sum, lower_code, invalid;
    code_a = code_of(a);
    code_b = code_of(b);
    sum = add_unpacked(a, code_a, sig_of(a, code_a), b, code_b, sig_of(b, code_b));
    lower_code = (code_a > code_b) ? code_b : code_a;
    // Infinities of unlike sign.
    invalid = ({32{lower_code > CodeLimit}} & (a ^ b)) | is_nan(a) | is_nan(b);
    return (invalid >= SignBit) ? CanonicalNan : sum;
  endfunction

  // The 48-bit product of the significands is put together from 12-bit halves; its lower bits end up as one sticky bit.
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
    // The leading one of the product is bit 29 or 30; with an infinity the code stays above the limit.
    code = code_a + code_b - (CodeBias + 32'd127);
    code = code + ((mag >> 30) & 32'd1);
    mag = (mag < 32'h4000_0000) ? mag << 1 : mag;
    product = round_and_pack(a ^ b, code, mag);
    // Infinity times zero.
    invalid = {32{(mag == 32'd0) & (code > CodeLimit)}} | is_nan(a) | is_nan(b);
    return (product & ~invalid) | (CanonicalNan & invalid);
  endfunction
endpackage
