// One row of the systolic array in the form of real hardware, for gate counts: partial sums, two banks of
// two-part stationary operands, the operand that passes along the row, and the row's arithmetic. pe_array
// itself keeps its skew in rings, which simulate fast and synthesise badly; docs/estimates.md counts the
// skew.
module pe_row
  import cfg_pkg::*;
  import tensor_lane_pkg::*;
(
  input  logic        clk_i,
  input  logic        en_i,
  input  logic        active_i,
  input  logic        bank_i,
  input  logic        part_i,
  input  operand_t    moving_i,
  input  cols_t       sum_i,
  output cols_t       sum_o,
  input  logic        load_i,
  input  logic [1:0]  load_to_i,  // bank and part
  input  logic [$clog2(Cols)-1:0] load_column_i,
  input  operand_t    load_operand_i
);
  logic [3:0][Cols-1:0][31:0] weight_q;
  logic [Cols-1:0][31:0] passed_q;
  cols_t chosen, result;

  always_comb begin
    chosen = '0;
    for (int unsigned c = 0; c < Cols; c++) chosen[c] = weight_q[{bank_i, part_i}][c];
    fma_row(result, chosen, moving_i, sum_i);
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      sum_o    <= active_i ? result : sum_i;
      passed_q <= {passed_q[Cols-2:0], moving_i};
    end
    if (load_i) weight_q[load_to_i][load_column_i] <= load_operand_i;
  end
endmodule
