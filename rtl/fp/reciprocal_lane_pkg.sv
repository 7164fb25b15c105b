// 1 / x of fp32 lanes, correctly rounded: subnormals read as zero and zeros give infinities; subnormal results flush; NaN is
// canonical.
package reciprocal_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  typedef logic [Lanes-1:0][31:0] lanes_t;

  // With x = s * 2^(e - 150), s the 24-bit significand and e the exponent field, 1 / x is (2^47 / s) * 2^(103 - e), and the
  // quotient lies in (2^23, 2^24]: 24 bits, a remainder, never a tie. One addition joins exponent and quotient, whose leading
  // one raises the exponent field.
  function automatic logic [31:0] reciprocal_lane(logic [31:0] value);
    logic [63:0] sig, quotient, remainder;
    logic [31:0] exponent, rounded, result, zero, invalid, too_small;
    exponent = (value >> 23) & 32'hff;
    sig = 64'({1'b1, value[22:0]});
    quotient = 64'h8000_0000_0000 / sig;
    remainder = 64'h8000_0000_0000 - quotient * sig;
    rounded = quotient[31:0] + {31'd0, (remainder << 1) > sig};
    result = ((32'd252 - exponent) << 23) + rounded;
    // Exponent fields from 253 on give results below 2^-126, but for 2^126 itself. That takes infinities to zero too.
    too_small = {32{(value & 32'h7fff_ffff) > 32'h7e80_0000}};
    result = result & ~too_small;
    zero = {32{exponent == 32'd0}};
    result = (result & ~zero) | (Infinity & zero);
    result = result | (value & SignBit);
    invalid = is_nan(value);
    return (result & ~invalid) | (CanonicalNan & invalid);
  endfunction

  function automatic void reciprocal_row(output lanes_t result, input lanes_t a);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = reciprocal_lane(a[k]);
  endfunction

endpackage
