// Comparisons of max8, find_index8 and match_replace8, on rows of fp32 elements with canonical NaNs.
package vector_search_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  localparam logic [31:0] Unmatchable = 32'hffff_ffff;  // bits that no element has
  localparam logic [31:0] NoIndex = 32'hffff_ffff;

  // Keys are unsigned numbers that ascend with the value: -0 is below +0, NaN is above infinity.
  function automatic void key_row(output lanes_t key, input lanes_t value);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) key[k] = value[k] ^ (SignBit | {32{value[k][31]}});
  endfunction

  function automatic void value_row(output lanes_t value, input lanes_t key);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) value[k] = key[k] ^ (SignBit | {32{~key[k][31]}});
  endfunction

  // Returns the larger and the smaller of two rows.
  function automatic void exchange_row(output lanes_t larger, output lanes_t smaller, input lanes_t a, input lanes_t b);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) larger[k] = (a[k] > b[k]) ? a[k] : b[k];
    for (int unsigned k = 0; k < Lanes; ++k) smaller[k] = (a[k] > b[k]) ? b[k] : a[k];
  endfunction

  // Bits of elements and of wanted values, so that values that compare equal have equal bits: there is one
  // zero, and no wanted value is NaN.
  function automatic void element_row(output lanes_t bits, input lanes_t value);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) bits[k] = value[k] & {32{value[k] != SignBit}};
  endfunction

  function automatic void wanted_row(output lanes_t bits, input lanes_t value);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) begin
      bits[k] = (value[k] & {32{value[k] != SignBit}}) | (Unmatchable & is_nan(value[k]));
    end
  endfunction

  // Returns the index at which a wanted value was found first, after one more element.
  function automatic void find_row(output lanes_t found, input lanes_t so_far, input lanes_t wanted, input lanes_t element,
                                   input logic [31:0] index);
    /* verilator no_inline_task */
    logic [31:0] hit;
    for (int unsigned k = 0; k < Lanes; ++k) begin
      hit = {32{element[k] == wanted[k]}} & {32{so_far[k] == NoIndex}};
      found[k] = (so_far[k] & ~hit) | (index & hit);
    end
  endfunction

  // If an element is not `matched` yet and is equal to a wanted value, it becomes matched and uses the value
  // up.
  function automatic void match_row(inout lanes_t matched, inout lanes_t wanted, input lanes_t element);
    /* verilator no_inline_task */
    logic [31:0] hit [Lanes];
    for (int unsigned k = 0; k < Lanes; ++k) hit[k] = {32{element[k] == wanted[k]}} & ~matched[k];
    for (int unsigned k = 0; k < Lanes; ++k) wanted[k] = wanted[k] | hit[k];
    for (int unsigned k = 0; k < Lanes; ++k) matched[k] = matched[k] | hit[k];
  endfunction

  // Returns `replacement` where matched is all ones, else x.
  function automatic void replace_row(output lanes_t result, input lanes_t matched, input lanes_t replacement, input lanes_t x);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = (replacement[k] & matched[k]) | (x[k] & ~matched[k]);
  endfunction
endpackage
