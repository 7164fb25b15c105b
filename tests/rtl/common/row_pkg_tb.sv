// Computes one row function a cycle, chosen by op_i, for the host to compare.
module row_pkg_tb
  import core_pkg::*;
  import row_pkg::*;
(
  input  logic       clk_i,
  input  logic [2:0] op_i,
  input  row_t       a_i,
  input  row_t       b_i,
  input  logic [1:0] first_i,
  input  logic [8:0] count_i,
  input  logic [1:0] size_i,
  input  logic [1:0] offset_i,
  input  logic [3:0] enable_i,
  input  mask_t      mask_i,
  output row_t       row_o,
  output mask_t      mask_o,
  output mask_t      moved_mask_o,
  output logic [3:0] enable_o
);

  row_t result;

  always_ff @(posedge clk_i) begin
    case (op_i)
      3'd0: rotate_to_lanes(result, a_i, first_i);
      3'd1: rotate_to_partitions(result, a_i, first_i);
      3'd2: extract_row(result, a_i, size_i, offset_i);
      3'd3: replicate_row(result, a_i, size_i);
      3'd4: broadcast_row(result, a_i[0]);
      default: merge_row(result, a_i, b_i, enable_i, mask_i);
    endcase
    mask_o       <= partition_mask(first_i, count_i);
    moved_mask_o <= lanes_to_partitions(mask_i, first_i);
    enable_o     <= element_enable(size_i, offset_i);
  end

  assign row_o = result;

endmodule
