// Converts rows of fp32 to elements of every format, right-aligned in their lanes with zeros above. tf32 is
// written as fp32 with zeros in the low 13 bits. Rounding is to nearest even, or stochastic to the narrower
// float formats. Overflow gives infinity, or NaN in fp8_e4m3. Integers saturate, and NaN gives 0.
package narrow_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  // The bits that a right shift of a 24-bit significand by `shift` (at least 1) keeps, and those that it
  // drops. The latter are left-aligned to 32 bits, so that 32'h8000_0000 is half a unit of the kept bits;
  // bits below that are lost.
  function automatic logic [31:0] kept_bits(logic [31:0] sig, logic [31:0] shift);
    logic [31:0] limited;
    limited = (shift > 32'd31) ? 32'd31 : shift;
    return sig >> (limited & 32'd31);
  endfunction

  function automatic logic [31:0] dropped_bits(logic [31:0] sig, logic [31:0] shift);
    logic [31:0] up, down;
    up = (shift > 32'd32) ? 32'd0 : 32'd32 - shift;
    down = (shift < 32'd32) ? 32'd0 : shift - 32'd32;
    down = (down > 32'd31) ? 32'd31 : down;
    return (sig << (up & 32'd31)) >> (down & 32'd31);
  endfunction

  // Returns 1 if a magnitude rounds up, which is so if the dropped bits exceed a threshold. Nearest even is
  // HalfUnit with TiesToEven: half a unit, or just less when the last kept place is odd. Stochastic rounding
  // uses the draw as threshold and NoTies.
  localparam logic [31:0] HalfUnit = 32'h8000_0000;
  localparam logic [31:0] TiesToEven = 32'd1;
  localparam logic [31:0] NoTies = 32'd0;

  function automatic logic [31:0] rounds_up(logic [31:0] kept, logic [31:0] dropped, logic [31:0] threshold,
                                            logic [31:0] ties);
    return 32'd1 & {32{threshold - (kept & ties) < dropped}};
  endfunction

  // Converts fp32 to a narrower float format. `rebias` is 127 minus its bias, `infinity` and `nan` are its
  // bit patterns, `overflows_to_nan` is all ones or 0. Subnormals are rounded in place; with rebias 0 there
  // are none, because fp32's own are flushed.
  function automatic logic [31:0] narrow_lane(logic [31:0] value, logic [31:0] fraction_bits, logic [31:0] sign_bit,
                                              logic [31:0] rebias, logic [31:0] infinity, logic [31:0] nan,
                                              logic [31:0] overflows_to_nan, logic [31:0] threshold, logic [31:0] ties);
    logic [31:0] exponent, sig, depth, shift, field, kept, result, invalid;
    exponent = (value >> 23) & 32'hff;
    sig = ((value & 32'h007f_ffff) | 32'h0080_0000) & {32{exponent != 32'd0}};
    // depth is the distance of the exponent below the smallest normal one; field is the exponent field
    // without the contribution of the leading one.
    depth = (exponent > rebias) ? 32'd0 : rebias + 32'd1 - exponent;
    field = exponent + depth - rebias - 32'd1;
    shift = 32'd23 - fraction_bits + depth;
    kept = kept_bits(sig, shift);
    result = (field << (fraction_bits & 32'd31)) + kept + rounds_up(kept, dropped_bits(sig, shift), threshold, ties);
    invalid = is_nan(value) | ({32{(result >= infinity) & (exponent != 32'd255)}} & overflows_to_nan);
    result = (result > infinity) ? infinity : result;
    result = result | ((value >> 31) << (sign_bit & 32'd31));
    return (result & ~invalid) | (nan & invalid);
  endfunction

  function automatic logic [31:0] bf16_lane(logic [31:0] value, logic [31:0] threshold, logic [31:0] ties);
    return narrow_lane(value, 32'd7, 32'd15, 32'd0, 32'h7f80, 32'h7fc0, 32'd0, threshold, ties);
  endfunction
  function automatic logic [31:0] tf32_lane(logic [31:0] value, logic [31:0] threshold, logic [31:0] ties);
    return narrow_lane(value, 32'd10, 32'd18, 32'd0, 32'h3_fc00, 32'h3_fe00, 32'd0, threshold, ties) << 13;
  endfunction
  function automatic logic [31:0] fp16_lane(logic [31:0] value, logic [31:0] threshold, logic [31:0] ties);
    return narrow_lane(value, 32'd10, 32'd15, 32'd112, 32'h7c00, 32'h7e00, 32'd0, threshold, ties);
  endfunction
  function automatic logic [31:0] fp8_e3m4_lane(logic [31:0] value, logic [31:0] threshold, logic [31:0] ties);
    return narrow_lane(value, 32'd4, 32'd7, 32'd124, 32'h70, 32'h78, 32'd0, threshold, ties);
  endfunction
  function automatic logic [31:0] fp8_e4m3_lane(logic [31:0] value, logic [31:0] threshold, logic [31:0] ties);
    return narrow_lane(value, 32'd3, 32'd7, 32'd120, 32'h78, 32'h7c, 32'hffff_ffff, threshold, ties);
  endfunction
  function automatic logic [31:0] fp8_e5m2_lane(logic [31:0] value, logic [31:0] threshold, logic [31:0] ties);
    return narrow_lane(value, 32'd2, 32'd7, 32'd112, 32'h7c, 32'h7e, 32'd0, threshold, ties);
  endfunction
  function automatic logic [31:0] fp32_lane(logic [31:0] value);
    return (flush(value) & ~is_nan(value)) | (CanonicalNan & is_nan(value));
  endfunction

  // Converts fp32 to an integer between -least and most, both magnitudes; always rounds to nearest even.
  function automatic logic [31:0] integer_lane(logic [31:0] value, logic [31:0] most, logic [31:0] least);
    logic [31:0] exponent, sig, shift, left, kept, mag, limit, negative;
    exponent = (value >> 23) & 32'hff;
    sig = ((value & 32'h007f_ffff) | 32'h0080_0000) & {32{exponent != 32'd0}};
    // From 2^23 (exponent field 150) on there is no fraction; 2^32 and above saturate every type.
    shift = (exponent > 32'd150) ? 32'd0 : 32'd150 - exponent;
    left = exponent + shift - 32'd150;
    left = (left > 32'd8) ? 32'd8 : left;
    kept = kept_bits(sig, shift);
    mag = kept + (rounds_up(kept, dropped_bits(sig, shift), HalfUnit, TiesToEven) & {32{shift != 32'd0}});
    mag = (mag << (left & 32'd31)) | {32{exponent > 32'd158}};
    negative = {32{value[31]}};
    limit = (most & ~negative) | (least & negative);
    mag = (mag > limit) ? limit : mag;
    return ((mag ^ negative) + (value >> 31)) & ~is_nan(value);
  endfunction

  function automatic void from_fp32_row(output lanes_t result, input lanes_t value, input isa_pkg::dtype_e dtype);
    /* verilator no_inline_task */
    case (dtype)
      isa_pkg::DtypeI8: for (int unsigned k = 0; k < Lanes; ++k) result[k] = integer_lane(value[k], 32'd127, 32'd128) & 32'hff;
      isa_pkg::DtypeU8: for (int unsigned k = 0; k < Lanes; ++k) result[k] = integer_lane(value[k], 32'd255, 32'd0);
      isa_pkg::DtypeI16:
        for (int unsigned k = 0; k < Lanes; ++k) result[k] = integer_lane(value[k], 32'h7fff, 32'h8000) & 32'hffff;
      isa_pkg::DtypeU16: for (int unsigned k = 0; k < Lanes; ++k) result[k] = integer_lane(value[k], 32'hffff, 32'd0);
      isa_pkg::DtypeI32: for (int unsigned k = 0; k < Lanes; ++k) result[k] = integer_lane(value[k], 32'h7fff_ffff, 32'h8000_0000);
      isa_pkg::DtypeU32: for (int unsigned k = 0; k < Lanes; ++k) result[k] = integer_lane(value[k], 32'hffff_ffff, 32'd0);
      isa_pkg::DtypeBf16: for (int unsigned k = 0; k < Lanes; ++k) result[k] = bf16_lane(value[k], HalfUnit, TiesToEven);
      isa_pkg::DtypeTf32: for (int unsigned k = 0; k < Lanes; ++k) result[k] = tf32_lane(value[k], HalfUnit, TiesToEven);
      isa_pkg::DtypeFp16: for (int unsigned k = 0; k < Lanes; ++k) result[k] = fp16_lane(value[k], HalfUnit, TiesToEven);
      isa_pkg::DtypeFp8E3m4: for (int unsigned k = 0; k < Lanes; ++k) result[k] = fp8_e3m4_lane(value[k], HalfUnit, TiesToEven);
      isa_pkg::DtypeFp8E4m3: for (int unsigned k = 0; k < Lanes; ++k) result[k] = fp8_e4m3_lane(value[k], HalfUnit, TiesToEven);
      isa_pkg::DtypeFp8E5m2: for (int unsigned k = 0; k < Lanes; ++k) result[k] = fp8_e5m2_lane(value[k], HalfUnit, TiesToEven);
      default: for (int unsigned k = 0; k < Lanes; ++k) result[k] = fp32_lane(value[k]);
    endcase
  endfunction

  // Returns whether stochastic rounding applies to a format.
  function automatic logic is_narrower_float(isa_pkg::dtype_e dtype);
    case (dtype)
      isa_pkg::DtypeBf16, isa_pkg::DtypeTf32, isa_pkg::DtypeFp16, isa_pkg::DtypeFp8E3m4, isa_pkg::DtypeFp8E4m3,
      isa_pkg::DtypeFp8E5m2: return 1'b1;
      default: return 1'b0;
    endcase
  endfunction

  // Converts fp32 to a narrower float format, rounded stochastically with one draw a lane.
  function automatic void from_fp32_stochastic_row(output lanes_t result, input lanes_t value, input lanes_t draw,
                                                   input isa_pkg::dtype_e dtype);
    /* verilator no_inline_task */
    case (dtype)
      isa_pkg::DtypeBf16: for (int unsigned k = 0; k < Lanes; ++k) result[k] = bf16_lane(value[k], draw[k], NoTies);
      isa_pkg::DtypeTf32: for (int unsigned k = 0; k < Lanes; ++k) result[k] = tf32_lane(value[k], draw[k], NoTies);
      isa_pkg::DtypeFp16: for (int unsigned k = 0; k < Lanes; ++k) result[k] = fp16_lane(value[k], draw[k], NoTies);
      isa_pkg::DtypeFp8E3m4: for (int unsigned k = 0; k < Lanes; ++k) result[k] = fp8_e3m4_lane(value[k], draw[k], NoTies);
      isa_pkg::DtypeFp8E4m3: for (int unsigned k = 0; k < Lanes; ++k) result[k] = fp8_e4m3_lane(value[k], draw[k], NoTies);
      default: for (int unsigned k = 0; k < Lanes; ++k) result[k] = fp8_e5m2_lane(value[k], draw[k], NoTies);
    endcase
  endfunction
endpackage
