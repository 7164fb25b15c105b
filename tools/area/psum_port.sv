// The logic that one Tensor port of the PSUM adds to the memory: read-add-write of a row with a lane mask,
// for gate counts.
module psum_port
  import core_pkg::*;
(
  input  row_t  old_i,
  input  row_t  data_i,
  input  logic  add_i,
  input  mask_t mask_i,
  output row_t  row_o
);
  row_t added, sum;
  always_comb begin
    psum_lane_pkg::psum_add_row(added, old_i, data_i);
    sum = add_i ? added : data_i;
    row_pkg::merge_row(row_o, old_i, sum, 4'hf, mask_i);
  end
endmodule
