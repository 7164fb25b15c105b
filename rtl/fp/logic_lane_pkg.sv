// Logical operations on fp32 lanes: an operand is true unless it is a zero (a subnormal is a zero, a NaN is
// not); results are 1.0 and 0.0. Also magnitudes.
package logic_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  // Returns all ones if the value is true.
  function automatic logic [31:0] truth(logic [31:0] value);
    return {32{(value & Infinity) != 32'd0}};
  endfunction

  function automatic void logical_and_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = One & truth(a[k]) & truth(b[k]);
  endfunction

  function automatic void logical_or_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = One & (truth(a[k]) | truth(b[k]));
  endfunction

  function automatic void logical_xor_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = One & (truth(a[k]) ^ truth(b[k]));
  endfunction

  function automatic void logical_not_row(output lanes_t result, input lanes_t a);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = One & ~truth(a[k]);
  endfunction

  // Returns |a|; subnormals flush, NaN is canonical.
  function automatic void abs_row(output lanes_t result, input lanes_t a);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k)
      result[k] = (flush(a[k]) & ~SignBit & ~is_nan(a[k])) | (CanonicalNan & is_nan(a[k]));
  endfunction

  // Return the greater or the lesser magnitude.
  function automatic void abs_max_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k)
      result[k] = vector_lane_pkg::max_lane(a[k] & ~SignBit, b[k] & ~SignBit);
  endfunction

  function automatic void abs_min_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k)
      result[k] = vector_lane_pkg::min_lane(a[k] & ~SignBit, b[k] & ~SignBit);
  endfunction

endpackage
