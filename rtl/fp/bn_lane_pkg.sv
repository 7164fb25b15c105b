// The steps of batch-norm statistics on all lanes, every operation rounded once.
package bn_lane_pkg;
  import cfg_pkg::Lanes;
  import vector_lane_pkg::*;

  // One more element x of a mean and sum of squared deviations (m2); `share` is 1 / number of elements.
  function automatic void add_element(output lanes_t mean, output lanes_t m2, input lanes_t old_mean, input lanes_t old_m2,
                                      input lanes_t x, input lanes_t share);
    /* verilator no_inline_task */
    lanes_t delta, part, rest, square;
    sub_row(delta, x, old_mean);
    mul_row(part, delta, share);
    add_row(mean, old_mean, part);
    sub_row(rest, x, mean);
    mul_row(square, delta, rest);
    add_row(m2, old_m2, square);
  endfunction

  // a times 1 / n, and +0 where n is 0.
  function automatic void divide_row(output lanes_t result, input lanes_t a, input lanes_t n);
    /* verilator no_inline_task */
    lanes_t share, product;
    reciprocal_lane_pkg::reciprocal_row(share, n);
    mul_row(product, a, share);
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = product[k] & logic_lane_pkg::truth(n[k]);
  endfunction

  // Merges the triple of n_b elements into that of n_a elements.
  function automatic void merge(output lanes_t n, output lanes_t mean, output lanes_t m2, input lanes_t n_a, input lanes_t mean_a,
                                input lanes_t m2_a, input lanes_t n_b, input lanes_t mean_b, input lanes_t m2_b);
    /* verilator no_inline_task */
    lanes_t weight, delta, part, scaled, square, both;
    add_row(n, n_a, n_b);
    divide_row(weight, n_b, n);
    sub_row(delta, mean_b, mean_a);
    mul_row(part, delta, weight);
    add_row(mean, mean_a, part);
    mul_row(scaled, delta, n_a);
    mul_row(square, scaled, part);
    add_row(both, m2_a, m2_b);
    add_row(m2, both, square);
  endfunction

endpackage
