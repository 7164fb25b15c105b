// Registers around the fp32 row operations, one selected by op_i.
module vector_lane_tb
  import fp32_lane_pkg::lanes_t;
  import vector_lane_pkg::*;
(
    input  logic       clk_i,
    input  logic [3:0] op_i,
    input  lanes_t     a_i,
    input  lanes_t     b_i,
    output lanes_t     result_o
);
  always_ff @(posedge clk_i) begin
    case (op_i)
      4'd0: add_row(result_o, a_i, b_i);
      4'd1: sub_row(result_o, a_i, b_i);
      4'd2: mul_row(result_o, a_i, b_i);
      4'd3: max_row(result_o, a_i, b_i);
      4'd4: min_row(result_o, a_i, b_i);
      4'd5: equal_row(result_o, a_i, b_i);
      4'd6: not_equal_row(result_o, a_i, b_i);
      4'd7: greater_row(result_o, a_i, b_i);
      4'd8: greater_equal_row(result_o, a_i, b_i);
      4'd9: less_row(result_o, a_i, b_i);
      4'd10: less_equal_row(result_o, a_i, b_i);
      default: psum_lane_pkg::psum_add_row(result_o, a_i, b_i);
    endcase
  end
endmodule
