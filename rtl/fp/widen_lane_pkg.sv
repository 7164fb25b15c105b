// Converts rows of elements, right-aligned in 32-bit lanes, to fp32. This is exact, except that 32-bit
// integers round to nearest even. tf32 is stored as fp32 with 13 low fraction bits that are ignored.
package widen_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  // Converts a narrower float format to fp32, exactly. The fraction comes left-aligned to 23 bits; `rebias`
  // is 127 minus the format's bias, `special` the exponent field of infinity and NaN. Subnormals keep their
  // value.
  function automatic logic [31:0] widen_lane(logic [31:0] sign, logic [31:0] exponent, logic [31:0] fraction,
                                             logic [31:0] rebias, logic [31:0] special);
    logic [31:0] sig, field, shift, result, nan;
    sig = fraction | (32'h0080_0000 & {32{exponent != 32'd0}});
    field = exponent + rebias + (32'd1 & {32{exponent == 32'd0}});
    shift = leading_zeros(sig) - 32'd8;
    sig = sig << (shift & 32'd31);
    field = field - shift;
    result = ((field << 23) | (sig & 32'h007f_ffff)) & {32{sig != 32'd0}};
    result = (exponent == special) ? Infinity : result;
    result = result | (sign << 31);
    nan = {32{(exponent == special) & (fraction != 32'd0)}};
    return (result & ~nan) | (CanonicalNan & nan);
  endfunction

  // Cleans fp32 and its truncations: subnormals flush, NaN becomes canonical.
  function automatic logic [31:0] clean_lane(logic [31:0] value);
    return (flush(value) & ~is_nan(value)) | (CanonicalNan & is_nan(value));
  endfunction

  // Converts an unsigned integer. If it has 32 significant bits, the lowest one goes to the sticky bit.
  function automatic logic [31:0] unsigned_lane(logic [31:0] value);
    logic [31:0] top;
    top = value >> 31;
    return from_signed((value >> (top & 32'd31)) | (value & top)) + (top << 23);
  endfunction

  function automatic void to_fp32_row(output lanes_t result, input lanes_t raw, input isa_pkg::dtype_e dtype);
    /* verilator no_inline_task */
    case (dtype)
      isa_pkg::DtypeI8:
        for (int unsigned k = 0; k < Lanes; ++k) result[k] = from_signed(((raw[k] & 32'hff) ^ 32'h80) - 32'h80);
      isa_pkg::DtypeU8: for (int unsigned k = 0; k < Lanes; ++k) result[k] = from_signed(raw[k] & 32'hff);
      isa_pkg::DtypeI16:
        for (int unsigned k = 0; k < Lanes; ++k) result[k] = from_signed(((raw[k] & 32'hffff) ^ 32'h8000) - 32'h8000);
      isa_pkg::DtypeU16: for (int unsigned k = 0; k < Lanes; ++k) result[k] = from_signed(raw[k] & 32'hffff);
      isa_pkg::DtypeI32: for (int unsigned k = 0; k < Lanes; ++k) result[k] = from_signed(raw[k]);
      isa_pkg::DtypeU32: for (int unsigned k = 0; k < Lanes; ++k) result[k] = unsigned_lane(raw[k]);
      isa_pkg::DtypeBf16: for (int unsigned k = 0; k < Lanes; ++k) result[k] = clean_lane(raw[k] << 16);
      isa_pkg::DtypeTf32: for (int unsigned k = 0; k < Lanes; ++k) result[k] = clean_lane(raw[k] & 32'hffff_e000);
      isa_pkg::DtypeFp16:
        for (int unsigned k = 0; k < Lanes; ++k)
          result[k] = widen_lane(raw[k] >> 15, (raw[k] >> 10) & 32'h1f, (raw[k] & 32'h3ff) << 13, 32'd112, 32'd31);
      isa_pkg::DtypeFp8E3m4:
        for (int unsigned k = 0; k < Lanes; ++k)
          result[k] = widen_lane(raw[k] >> 7, (raw[k] >> 4) & 32'h7, (raw[k] & 32'hf) << 19, 32'd124, 32'd7);
      isa_pkg::DtypeFp8E4m3:
        for (int unsigned k = 0; k < Lanes; ++k)
          result[k] = widen_lane(raw[k] >> 7, (raw[k] >> 3) & 32'hf, (raw[k] & 32'h7) << 20, 32'd120, 32'd15);
      isa_pkg::DtypeFp8E5m2:
        for (int unsigned k = 0; k < Lanes; ++k)
          result[k] = widen_lane(raw[k] >> 7, (raw[k] >> 2) & 32'h1f, (raw[k] & 32'h3) << 21, 32'd112, 32'd31);
      default: for (int unsigned k = 0; k < Lanes; ++k) result[k] = clean_lane(raw[k]);
    endcase
  endfunction

endpackage
