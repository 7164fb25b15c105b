// XORWOW generators (Marsaglia 2003), one for each lane: five words x, y, z, w, v and a counter d, each kept
// as a row over the lanes.
package xorwow_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::lanes_t;

  localparam logic [31:0] CounterStep = 32'd362437;
  localparam logic [63:0] SplitMixStep = 64'h9e37_79b9_7f4a_7c15;

  // Returns the new v of a draw; the other words move up.
  function automatic logic [31:0] next_word(logic [31:0] x, logic [31:0] v);
    logic [31:0] t;
    t = x ^ (x >> 2);
    return (v ^ (v << 4)) ^ (t ^ (t << 1));
  endfunction

  // Makes the next draw of each lane in use. Other lanes keep their state, and their draw is undefined.
  function automatic void draw_row(output lanes_t draw, inout lanes_t x, inout lanes_t y, inout lanes_t z, inout lanes_t w,
                                   inout lanes_t v, inout lanes_t d, input logic [Lanes-1:0] in_use);
    /* verilator no_inline_task */
    lanes_t all, next_v, next_d;
    for (int unsigned k = 0; k < Lanes; ++k) begin
      next_v[k] = next_word(x[k], v[k]);
      next_d[k] = d[k] + CounterStep;
      draw[k] = next_v[k] + next_d[k];
    end
    if (in_use == '1) begin
      x = y;
      y = z;
      z = w;
      w = v;
      v = next_v;
      d = next_d;
    end else begin
      for (int unsigned k = 0; k < Lanes; ++k) all[k] = {32{in_use[k]}};
      x = (y & all) | (x & ~all);
      y = (z & all) | (y & ~all);
      z = (w & all) | (z & ~all);
      w = (v & all) | (w & ~all);
      v = (next_v & all) | (v & ~all);
      d = (next_d & all) | (d & ~all);
    end
  endfunction

  // Returns the output of SplitMix64 (Steele, Lea, Flood 2014) for a state.
  function automatic logic [63:0] split_mix(logic [63:0] state);
    logic [63:0] mixed;
    mixed = (state ^ (state >> 30)) * 64'hbf58_476d_1ce4_e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 64'h94d0_49bb_1331_11eb;
    return mixed ^ (mixed >> 31);
  endfunction

  // Seeds the generators of a stream. x to v are never all zero, which would stay so: split_mix is a
  // bijection that takes 0 to 0, so one of two outputs in a row is not 0.
  function automatic void seed_row(output lanes_t x, output lanes_t y, output lanes_t z, output lanes_t w, output lanes_t v,
                                   output lanes_t d, input logic [15:0] stream, input logic [31:0] seed);
    /* verilator no_inline_task */
    logic [63:0] state;
    for (int unsigned k = 0; k < Lanes; ++k) begin
      state = {stream, 16'(k), seed};
      {y[k], x[k]} = split_mix(state + SplitMixStep);
      {w[k], z[k]} = split_mix(state + 64'd2 * SplitMixStep);
      {d[k], v[k]} = split_mix(state + 64'd3 * SplitMixStep);
    end
  endfunction
endpackage
