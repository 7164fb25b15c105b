// The last stage before a write: converts result rows to the type of the destination and moves them to its partitions. How a
// result is rounded to a narrower float type is decided here and nowhere else.
module vector_narrow
  import isa_pkg::*;
  import core_pkg::*;
(
  input  logic clk_i,

  // A result in lane view, from the lanes or from another unit: fp32, or the element's bits if raw; element type and quadrant of
  // the destination.
  input  logic       take_i,
  input  logic       from_unit_i,
  input  row_t       lanes_i,
  input  row_t       unit_i,
  input  logic       raw_i,
  input  dtype_e     dtype_i,
  input  logic [1:0] first_i,

  // The word to write in every partition, from the next cycle on.
  output row_t row_o
);

  row_t row_q;

  always_ff @(posedge clk_i) begin
    row_t value, bits, words, row;
    if (take_i) begin
      value = from_unit_i ? unit_i : lanes_i;
      if (raw_i) bits = value;
      else       narrow_lane_pkg::from_fp32_row(bits, value, dtype_i);
      row_pkg::replicate_row(words, bits, dtype_size(dtype_i));
      row_pkg::rotate_to_partitions(row, words, first_i);
      row_q <= row;
    end
  end

  assign row_o = row_q;

endmodule
