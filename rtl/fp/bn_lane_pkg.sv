// Functions for the statistics of bn_stats and bn_aggr, beside additions and multiplications of rows.
package bn_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  // A table of 1 / n, correctly rounded, for the numbers of elements that bn_stats can have. It computes
  // 2^-shift * (2^shift / n) with the quotient in [2^23, 2^24), which is never a tie.
  localparam int unsigned MaxElements = 256;
  typedef logic [MaxElements:1][31:0] shares_t;

  function automatic logic [31:0] make_share(int unsigned n);
    int unsigned shift, quotient, remainder;
    shift = 32'd23;
    while ((32'd1 << (shift - 32'd23)) < n) shift = shift + 32'd1;
    quotient = (32'd1 << shift) / n;
    remainder = (32'd1 << shift) % n;
    return ((32'd149 - shift) << 23) + quotient + ((remainder * 32'd2 > n) ? 32'd1 : 32'd0);
  endfunction

  function automatic shares_t make_shares();
    shares_t shares;
    for (int unsigned n = 1; n <= MaxElements; ++n) shares[n] = make_share(n);
    return shares;
  endfunction

  localparam shares_t Shares = make_shares();

  // Returns a times `share`, which is 1 / n, and +0 where n is 0: only there the share is infinite.
  function automatic void share_row(output lanes_t result, input lanes_t a, input lanes_t share);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) begin
      result[k] = mul_lane(a[k], share[k]) & ~{32{(share[k] & ~SignBit) == Infinity}};
    end
  endfunction

endpackage
