// The fp32 adder in front of PSUM.
package psum_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  // Computes sum[k] = old[k] + chain[k]; old is the content of PSUM, chain the result of the array.
  function automatic void psum_add_row(output lanes_t sum, input lanes_t old, input lanes_t chain);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) sum[k] = add_lane(old[k], chain[k]);
  endfunction
endpackage
