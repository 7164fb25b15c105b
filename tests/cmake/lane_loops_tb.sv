// One of the row functions of all lane packages, chosen by op_i, between registers.
module lane_loops_tb
  import fp32_lane_pkg::lanes_t;
  import vector_lane_pkg::*;
  import bit_lane_pkg::*;
  import logic_lane_pkg::*;
(
    input  logic                      clk_i,
    input  logic [5:0]                op_i,
    input  logic [3:0]                dtype_i,
    input  logic                      flag_i,
    input  lanes_t                    a_i,
    input  lanes_t                    b_i,
    input  lanes_t                    c_i,
    output lanes_t                    result_o,
    output lanes_t                    second_o,
    output logic [cfg_pkg::Lanes-1:0] mask_o
);
  localparam int unsigned Operations = 38;

  isa_pkg::dtype_e dtype;
  assign dtype = isa_pkg::dtype_e'(dtype_i);

  lanes_t rest, quotient, x, y, z, w, v, d;
  tensor_lane_pkg::cols_t weight, acc, sum;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    case (32'(op_i) % Operations)
      0: add_row(result_o, a_i, b_i);
      1: sub_row(result_o, a_i, b_i);
      2: mul_row(result_o, a_i, b_i);
      3: max_row(result_o, a_i, b_i);
      4: min_row(result_o, a_i, b_i);
      5: equal_row(result_o, a_i, b_i);
      6: not_equal_row(result_o, a_i, b_i);
      7: greater_row(result_o, a_i, b_i);
      8: greater_equal_row(result_o, a_i, b_i);
      9: less_row(result_o, a_i, b_i);
      10: less_equal_row(result_o, a_i, b_i);
      11: psum_lane_pkg::psum_add_row(result_o, a_i, b_i);
      12: fma32_lane_pkg::fma_row(result_o, a_i, b_i, c_i);
      13: widen_lane_pkg::to_fp32_row(result_o, a_i, dtype);
      14: narrow_lane_pkg::from_fp32_row(result_o, a_i, dtype);
      15: narrow_lane_pkg::from_fp32_stochastic_row(result_o, a_i, b_i, dtype);
      16: and_row(result_o, a_i, b_i);
      17: or_row(result_o, a_i, b_i);
      18: xor_row(result_o, a_i, b_i);
      19: not_row(result_o, a_i);
      20: shift_left_row(result_o, a_i, b_i);
      21: shift_right_row(result_o, a_i, b_i);
      22: negate_row(result_o, a_i);
      23: select_row(result_o, a_i, b_i, c_i, flag_i);
      24: nonzero_mask(mask_o, a_i, flag_i);
      25: logical_and_row(result_o, a_i, b_i);
      26: logical_or_row(result_o, a_i, b_i);
      27: logical_xor_row(result_o, a_i, b_i);
      28: logical_not_row(result_o, a_i);
      29: abs_row(result_o, a_i);
      30: abs_max_row(result_o, a_i, b_i);
      31: abs_min_row(result_o, a_i, b_i);
      32: reciprocal_lane_pkg::begin_row(result_o, second_o, a_i);
      33: reciprocal_lane_pkg::digit_row(result_o, second_o, a_i, b_i, c_i);
      34: begin
        // Arguments that are results of earlier calls, and one that is read twice.
        reciprocal_lane_pkg::begin_row(rest, quotient, a_i);
        reciprocal_lane_pkg::finish_row(second_o, a_i, rest, quotient);
        bn_lane_pkg::share_row(result_o, second_o, second_o);
      end
      35: begin
        xorwow_lane_pkg::seed_row(x, y, z, w, v, d, a_i[0][15:0], a_i[0]);
        xorwow_lane_pkg::draw_row(result_o, x, y, z, w, v, d, mask_o);
        xorwow_lane_pkg::draw_row(second_o, x, y, z, w, v, d, '1);
      end
      36: begin
        tensor_lane_pkg::decode_row(result_o, a_i, dtype, flag_i);
        weight = result_o[cfg_pkg::Cols-1:0];
      end
      default: begin
        acc = c_i[cfg_pkg::Cols-1:0];
        tensor_lane_pkg::fma_row(sum, weight, result_o[0], acc);
        tensor_lane_pkg::fma_row(acc, weight, result_o[1], sum);
        second_o = acc;
      end
    endcase
  end
endmodule
