// Operations on the bits of all lanes, selection by a predicate, sign changes.
package bit_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  function automatic void and_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = a[k] & b[k];
  endfunction

  function automatic void or_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = a[k] | b[k];
  endfunction

  function automatic void xor_row(output lanes_t result, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = a[k] ^ b[k];
  endfunction

  function automatic void not_row(output lanes_t result, input lanes_t a);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = ~a[k];
  endfunction

  // Logical shifts; an amount of 32 or more gives 0.
  function automatic void shift_left_row(output lanes_t result, input lanes_t a, input lanes_t amount);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = (a[k] << (amount[k] & 32'd31)) & {32{amount[k] < 32'd32}};
  endfunction

  function automatic void shift_right_row(output lanes_t result, input lanes_t a, input lanes_t amount);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = (a[k] >> (amount[k] & 32'd31)) & {32{amount[k] < 32'd32}};
  endfunction

  // Changes the sign; a NaN stays unchanged.
  function automatic void negate_row(output lanes_t result, input lanes_t a);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = a[k] ^ (SignBit & ~is_nan(a[k]));
  endfunction

  // Selects `a` where the predicate is not 0 (is 0, if inverted), else `b`.
  function automatic void select_row(output lanes_t result, input lanes_t predicate, input lanes_t a, input lanes_t b,
                                     input logic invert);
    /* verilator no_inline_task */
    logic [31:0] taken;
    for (int unsigned k = 0; k < Lanes; ++k) begin
      taken = {32{(predicate[k] != 32'd0) ^ invert}};
      result[k] = (a[k] & taken) | (b[k] & ~taken);
    end
  endfunction

  // Returns the lanes with a predicate that is not 0 (is 0, if inverted).
  function automatic void nonzero_mask(output logic [Lanes-1:0] mask, input lanes_t predicate, input logic invert);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) mask[k] = (predicate[k] != 32'd0) ^ invert;
  endfunction

endpackage
