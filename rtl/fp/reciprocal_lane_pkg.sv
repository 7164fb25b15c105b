// Computes 1 / x of fp32 lanes digit by digit, correctly rounded. Subnormals read as zero, and zeros give
// infinities; subnormal results flush; NaN is canonical. A division begins with its first digit, takes Digits
// - 1 more, and is finished by rounding and packing.
//
// With x = s * 2^(e - 150), s the 24-bit significand and e the exponent field, 1 / x is (2^47 / s) * 2^(103 -
// e). The quotient lies in (2^23, 2^24]: 24 bits and a remainder, never a tie. The remainder starts at 2^23,
// which is at most s, and stays at most s. If s is 2^23, all bits of the quotient are ones and the remainder
// is s, which rounds up to 2^24.
package reciprocal_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  localparam int unsigned Digits = 8;  // digits of three bits each
  localparam logic [31:0] FirstRemainder = 32'h0080_0000;

  function automatic logic [31:0] divisor_of(logic [31:0] value);
    return (value & 32'h007f_ffff) | 32'h0080_0000;
  endfunction

  function automatic void next_bit(inout logic [31:0] remainder, inout logic [31:0] quotient, input logic [31:0] divisor);
    logic [31:0] fits;
    remainder = remainder << 1;
    fits = {32{remainder >= divisor}};
    remainder = remainder - (divisor & fits);
    quotient = (quotient << 1) - fits;
  endfunction

  function automatic void next_digit(inout logic [31:0] remainder, inout logic [31:0] quotient, input logic [31:0] divisor);
    next_bit(remainder, quotient, divisor);
    next_bit(remainder, quotient, divisor);
    next_bit(remainder, quotient, divisor);
  endfunction

  // One addition joins exponent and quotient; the leading one of the quotient raises the exponent field.
  function automatic logic [31:0] finish_lane(logic [31:0] value, logic [31:0] remainder, logic [31:0] quotient);
    logic [31:0] exponent, rounded, result, zero, invalid, too_small;
    exponent = (value >> 23) & 32'hff;
    rounded = quotient + (32'd1 & {32{(remainder << 1) > divisor_of(value)}});
    result = ((32'd252 - exponent) << 23) + rounded;
    // Exponent fields from 253 on give results below 2^-126, except for 2^126 itself. This also turns
    // infinities into zero.
    too_small = {32{(value & 32'h7fff_ffff) > 32'h7e80_0000}};
    result = result & ~too_small;
    zero = {32{exponent == 32'd0}};
    result = (result & ~zero) | (Infinity & zero);
    result = result | (value & SignBit);
    invalid = is_nan(value);
    return (result & ~invalid) | (CanonicalNan & invalid);
  endfunction

  function automatic void begin_row(output lanes_t remainder, output lanes_t quotient, input lanes_t value);
    /* verilator no_inline_task */
    logic [31:0] rest, bits;
    for (int unsigned k = 0; k < Lanes; ++k) begin
      rest = FirstRemainder;
      bits = 32'd0;
      next_digit(rest, bits, divisor_of(value[k]));
      remainder[k] = rest;
      quotient[k] = bits;
    end
  endfunction

  function automatic void digit_row(output lanes_t remainder, output lanes_t quotient, input lanes_t old_remainder,
                                    input lanes_t old_quotient, input lanes_t value);
    /* verilator no_inline_task */
    logic [31:0] rest, bits;
    for (int unsigned k = 0; k < Lanes; ++k) begin
      rest = old_remainder[k];
      bits = old_quotient[k];
      next_digit(rest, bits, divisor_of(value[k]));
      remainder[k] = rest;
      quotient[k] = bits;
    end
  endfunction

  function automatic void finish_row(output lanes_t result, input lanes_t value, input lanes_t remainder, input lanes_t quotient);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = finish_lane(value[k], remainder[k], quotient[k]);
  endfunction

endpackage
