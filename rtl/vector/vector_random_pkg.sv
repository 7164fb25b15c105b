// Computes dropout from a row of elements and a row of draws.
package vector_random_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  // Returns the least draw that keeps an element of probability p: floor(p * 2^32), for p below 1.
  function automatic logic [31:0] threshold(logic [31:0] p);
    logic [31:0] exponent, sig, left, right;
    exponent = (p >> 23) & 32'hff;
    sig = ((p & 32'h007f_ffff) | 32'h0080_0000) & {32{exponent != 32'd0}};
    // p is sig * 2^(exponent - 150), so the shift by exponent - 118 goes left from 2^-9 on.
    left = (exponent > 32'd118) ? exponent - 32'd118 : 32'd0;
    right = (exponent < 32'd118) ? 32'd118 - exponent : 32'd0;
    right = (right > 32'd31) ? 32'd31 : right;
    return (sig << (left & 32'd31)) >> right;
  endfunction

  // Returns x, or 0 where the draw is below p * 2^32; p of 1 and more always drops, p of 0 and less and NaN
  // never do.
  function automatic void dropout_row(output lanes_t result, input lanes_t x, input lanes_t draw, input lanes_t p);
    /* verilator no_inline_task */
    logic [31:0] drops;
    for (int unsigned k = 0; k < Lanes; ++k) begin
      drops = {32{draw[k] < threshold(p[k])}} | {32{p[k] >= One}};
      drops = drops & {32{p[k] <= Infinity}};
      result[k] = x[k] & ~drops;
    end
  endfunction
endpackage
