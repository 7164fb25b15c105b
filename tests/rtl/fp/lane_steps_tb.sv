// Registers around the lane functions that only larger units use: statistics, selection, negation.
module lane_steps_tb
  import vector_lane_pkg::*;
(
    input  logic                      clk_i,
    input  logic [1:0]                op_i,  // add_element, divide_row, merge, selection and negation
    input  lanes_t                    in_i [6],
    input  logic                      invert_i,
    output lanes_t                    out_o [3],
    output logic [cfg_pkg::Lanes-1:0] mask_o
);
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    case (op_i)
      2'd0: bn_lane_pkg::add_element(out_o[0], out_o[1], in_i[0], in_i[1], in_i[2], in_i[3]);
      2'd1: bn_lane_pkg::divide_row(out_o[0], in_i[0], in_i[1]);
      2'd2: bn_lane_pkg::merge(out_o[0], out_o[1], out_o[2], in_i[0], in_i[1], in_i[2], in_i[3], in_i[4], in_i[5]);
      default: begin
        bit_lane_pkg::select_row(out_o[0], in_i[0], in_i[1], in_i[2], invert_i);
        bit_lane_pkg::nonzero_mask(mask_o, in_i[0], invert_i);
        bit_lane_pkg::negate_row(out_o[1], in_i[1]);
      end
    endcase
  end
endmodule
