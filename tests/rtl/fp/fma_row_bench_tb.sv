// A weight-stationary array of Rows x Cols processing elements with every row busy in every cycle: the upper
// bound for fma_row.
module fma_row_bench_tb
  import cfg_pkg::*;
  import fp32_lane_pkg::lanes_t;
  import tensor_lane_pkg::*;
(
    input  logic                  clk_i,
    input  logic                  load_i,    // shifts weights_i in at row 0
    input  lanes_t                weights_i, // bf16
    input  logic [Rows-1:0][31:0] moving_i,  // decoded, one a row
    output cols_t                 acc_o
);
  cols_t  weight [Rows];
  cols_t  acc [Rows];
  lanes_t decoded;

  // Goes from bottom to top, so that each row takes the value that the row above held before this cycle.
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      decode_row(decoded, weights_i, isa_pkg::DtypeBf16, 1'b1);
      for (int unsigned r = Rows - 1; r > 0; --r) weight[r] = weight[r-1];
      weight[0] = decoded[Cols-1:0];
    end else begin
      for (int unsigned r = Rows - 1; r > 0; --r) fma_row(acc[r], weight[r], moving_i[r], acc[r-1]);
      fma_row(acc[0], weight[0], moving_i[0], '0);
    end
  end
  assign acc_o = acc[Rows-1];
endmodule
