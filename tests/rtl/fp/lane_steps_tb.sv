// Registers around the lane functions that only larger units use: statistics, selection, negation.
module lane_steps_tb
  import fp32_lane_pkg::lanes_t;
  import vector_lane_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      share_i,  // share_row; else selection and negation
    input  lanes_t                    in_i [3],
    input  logic                      invert_i,
    output lanes_t                    out_o [2],
    output logic [cfg_pkg::Lanes-1:0] mask_o
);
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (share_i) begin
      bn_lane_pkg::share_row(out_o[0], in_i[0], in_i[1]);
    end else begin
      bit_lane_pkg::select_row(out_o[0], in_i[0], in_i[1], in_i[2], invert_i);
      bit_lane_pkg::nonzero_mask(mask_o, in_i[0], invert_i);
      bit_lane_pkg::negate_row(out_o[1], in_i[1]);
    end
  end
endmodule
