// The fp32 adder in front of PSUM.
package psum_lane_pkg;
  import cfg_pkg::Lanes;

  typedef logic [Lanes-1:0][31:0] lanes_t;

  // sum[k] = old[k] + chain[k]: what PSUM holds and what the array delivers. See tensor_lane_pkg for how it is stored.
  function automatic void psum_add_row(output lanes_t sum, input lanes_t old, input lanes_t chain);
    /* verilator no_inline_task */
    logic [31:0] lane [Lanes];
    for (int unsigned k = 0; k < Lanes; ++k) lane[k] = fp32_lane_pkg::add_lane(old[k], chain[k]);
    for (int unsigned k = 0; k < Lanes; k += 2) sum[k] = lane[k];
    for (int unsigned k = 1; k < Lanes; k += 2) sum[k] = lane[k];
  endfunction
endpackage
