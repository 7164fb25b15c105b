// fp32 fused multiply-add of the Scalar engine's lanes: a * b + c is rounded once to nearest even, subnormals
// are flushed in and out (tininess after rounding), every NaN result is canonical. fp32_lane_pkg explains the
// style of this code.
package fma32_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  // Returns the fp32 value of a 64-bit two's complement integer, as fp32_lane_pkg::from_signed does.
  function automatic logic [31:0] from_signed64(logic [63:0] value);
    logic [31:0] field, zeros, kept, rounded;
    logic [63:0] negative, mag;
    negative = {64{value[63]}};
    mag = (value ^ negative) - negative;
    field = (mag < 64'h1_0000_0000) ? 32'd157 : 32'd189;
    mag = (mag < 64'h1_0000_0000) ? mag << 32 : mag;
    zeros = leading_zeros(32'(mag >> 32));
    mag = mag << (zeros & 32'd31);
    kept = 32'(mag >> 40);
    rounded = kept + 32'(((mag & 64'hff_ffff_ffff) + 64'h7f_ffff_ffff + 64'(kept[0])) >> 40);
    rounded = (rounded + ((field - zeros) << 23)) & {32{mag != 64'd0}};
    return rounded | (32'(value >> 32) & SignBit);
  endfunction

  // Exponent codes as in fp32_lane_pkg. Product and addend are aligned in 64-bit words: bit 60 is the unit of
  // a significand, the product in [1, 4) fills bits 61 to 14, the addend bits 60 to 37. Bits that are shifted
  // out of the lower one are jammed into bit 0; none are lost when the exponents are so close that much can
  // cancel.
  function automatic logic [31:0] fma_lane(logic [31:0] a, logic [31:0] b, logic [31:0] c);
    logic [31:0] code_a, code_b, code_c, code_p, code, distance, sig_a, sig_b, sig_c, sign_p, sign, unlike, any;
    logic [31:0] sum, invalid, result;
    logic [63:0] product, addend, upper, lower, aligned, restored, flip;
    code_a = code_of(a);
    code_b = code_of(b);
    code_c = code_of(c);
    sig_a = ((a & 32'h007f_ffff) | 32'h0080_0000) & {32{code_a != CodeBias}};
    sig_b = ((b & 32'h007f_ffff) | 32'h0080_0000) & {32{code_b != CodeBias}};
    sig_c = ((c & 32'h007f_ffff) | 32'h0080_0000) & {32{code_c != CodeBias}};
    product = (64'(sig_a) * 64'(sig_b)) << 14;
    addend = 64'(sig_c) << 37;
    sign_p = a ^ b;
    unlike = sign_p ^ c;

    // A zero product has the lowest code of all.
    any = {32{(code_a != CodeBias) & (code_b != CodeBias)}};
    code_p = (code_a + code_b - (CodeBias + 32'd127)) & any;
    code_p = (code_p > CodeLimit) ? InfiniteCode : code_p;

    upper = (code_p > code_c) ? product : addend;
    lower = (code_p > code_c) ? addend : product;
    sign = (code_p > code_c) ? sign_p : c;
    code = (code_p > code_c) ? code_p : code_c;
    distance = code - ((code_p > code_c) ? code_c : code_p);
    distance = (distance > 32'd63) ? 32'd63 : distance;
    aligned = lower >> (distance & 32'd63);
    restored = aligned << (distance & 32'd63);
    aligned = aligned | (64'd1 & {64{restored != lower}});

    // The difference is negative if the lower one is a product of two or more; an exact difference of zero is
    // +0.
    flip = {64{unlike[31]}};
    sum = from_signed64(upper + (aligned ^ flip) - flip);
    sign = (sum == 32'd0) ? sign_p & c : sign ^ sum;
    result = scale(sign, code - 32'd31, sum);

    // NaN: an operand is NaN, infinity times zero, or infinities of unlike sign.
    invalid = is_nan(a) | is_nan(b) | is_nan(c);
    invalid = invalid | ({32{(code_a > CodeLimit) | (code_b > CodeLimit)}} & ~any);
    invalid = invalid | ({32{(code_p > CodeLimit) & (code_c > CodeLimit)}} & unlike);
    return (invalid >= SignBit) ? CanonicalNan : result;
  endfunction

  function automatic void fma_row(output lanes_t result, input lanes_t a, input lanes_t b, input lanes_t c);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = fma_lane(a[k], b[k], c[k]);
  endfunction
endpackage
