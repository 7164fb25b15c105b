// Processing elements of a row in which one column group works.
package tensor_tile_pkg;

  import cfg_pkg::*;
  import tensor_lane_pkg::*;

  // Keeps `old` except for the columns of a group: these get their chains, continued if the row is active.
  // tensor_lane_pkg explains why a row function returns its result in an argument.
  function automatic void fma_columns(output cols_t result, input cols_t old, input logic [31:0] group, input logic active,
                                      input cols_t stationary, input operand_t moving, input cols_t acc);
    /* verilator no_inline_task */
    cols_t sum;
    logic [31:0] first, own;
    sum = acc;
    if (active) fma_row(sum, stationary, moving, acc);
    first = group * (Cols / isa_pkg::ArrayColumnGroups);
    for (int unsigned k = 0; k < Cols; ++k) begin
      own = {32{(k - first) < (Cols / isa_pkg::ArrayColumnGroups)}};
      result[k] = (sum[k] & own) | (old[k] & ~own);
    end
  endfunction

endpackage
