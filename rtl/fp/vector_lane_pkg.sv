// fp32 operations of the Vector, Scalar and GpSimd engines on all lanes of a row: subnormals flush in and out, one rounding to
// nearest even, every NaN result canonical. Results come first among the arguments; tensor_lane_pkg says why.
package vector_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  // Maps values in ascending order to ascending unsigned words; both zeros, and subnormals, map to the same
  // word.
  function automatic logic [31:0] rank_of(logic [31:0] value);
    logic [31:0] mag;
    mag = flush(value) & ~SignBit;
    return SignBit + ((mag ^ {32{value[31]}}) + (value >> 31));
  endfunction

  // Does the same with -0 below +0.
  function automatic logic [31:0] strict_rank_of(logic [31:0] value);
    return flush(value) ^ (SignBit | {32{value[31]}});
  endfunction

  function automatic void add_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = add_lane(a[k], b[k]);
  endfunction

  function automatic void sub_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = add_lane(a[k], b[k] ^ SignBit);
  endfunction

  function automatic void mul_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = mul_lane(a[k], b[k]);
  endfunction

  // Return the greater or the lesser of two values, NaN if either is NaN. max(+0, -0) = +0 and min(+0, -0) =
  // -0, in either order.
  function automatic logic [31:0] max_lane(logic [31:0] a, logic [31:0] b);
    logic [31:0] result, nan;
    result = (strict_rank_of(a) > strict_rank_of(b)) ? flush(a) : flush(b);
    nan = is_nan(a) | is_nan(b);
    return (result & ~nan) | (CanonicalNan & nan);
  endfunction

  function automatic logic [31:0] min_lane(logic [31:0] a, logic [31:0] b);
    logic [31:0] result, nan;
    result = (strict_rank_of(a) < strict_rank_of(b)) ? flush(a) : flush(b);
    nan = is_nan(a) | is_nan(b);
    return (result & ~nan) | (CanonicalNan & nan);
  endfunction

  function automatic void max_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = max_lane(a[k], b[k]);
  endfunction

  function automatic void min_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = min_lane(a[k], b[k]);
  endfunction

  // The comparisons give 1.0 or 0.0. With a NaN all are false except not_equal. Zeros of either sign are
  // equal.
  function automatic void equal_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k)
      result[k] = One & {32{rank_of(a[k]) == rank_of(b[k])}} & ~(is_nan(a[k]) | is_nan(b[k]));
  endfunction

  function automatic void not_equal_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k)
      result[k] = One & ({32{rank_of(a[k]) != rank_of(b[k])}} | is_nan(a[k]) | is_nan(b[k]));
  endfunction

  function automatic void greater_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k)
      result[k] = One & {32{rank_of(a[k]) > rank_of(b[k])}} & ~(is_nan(a[k]) | is_nan(b[k]));
  endfunction

  function automatic void greater_equal_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k)
      result[k] = One & {32{rank_of(a[k]) >= rank_of(b[k])}} & ~(is_nan(a[k]) | is_nan(b[k]));
  endfunction

  function automatic void less_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    greater_row(result, b, a);
  endfunction

  function automatic void less_equal_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    greater_equal_row(result, b, a);
  endfunction
endpackage
