// Unit of max8: the eight largest elements of every lane, kept in descending order.
module vector_max8
  import core_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Elements, fp32: one in every cycle with element_i, which waits for ready_o; the first and the last of an
  // operation are marked.
  input  logic element_i,
  input  logic first_i,
  input  logic last_i,
  input  row_t x_i,
  output logic ready_o,

  // Results in descending order; take_i moves on to the next.
  output logic valid_o,
  output row_t result_o,
  input  logic take_i
);

  import vector_search_pkg::*;

  localparam int unsigned Results = 8;
  logic [3:0] left_q;                // results not taken yet
  row_t       best_q [Results];      // keys, descending; only one process uses them and waiting_q
  row_t       waiting_q [Results];   // results
  row_t       result_q;

  assign ready_o  = (left_q == '0) | ~last_i;
  assign valid_o  = left_q != '0;
  assign result_o = result_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                  left_q <= '0;
    else if (element_i && last_i) left_q <= 4'(Results);
    else if (take_i)              left_q <= left_q - 4'd1;
  end

  // The element goes down the order; at each place the larger of it and the old key stays, and the smaller
  // goes on.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    row_t passing, smaller;
    if (element_i) begin
      key_row(passing, x_i);
      for (int unsigned k = 0; k < Results; k++) begin
        exchange_row(best_q[k], smaller, first_i ? '0 : best_q[k], passing);
        passing = smaller;
      end
      if (last_i) for (int unsigned k = 0; k < Results; k++) value_row(waiting_q[k], best_q[k]);
    end
    if (take_i) for (int unsigned k = 1; k < Results; k++) waiting_q[k-1] = waiting_q[k];
    if (take_i || (element_i && last_i)) result_q <= waiting_q[0];
  end
  /* verilator lint_on BLKSEQ */

  `ifndef SYNTHESIS
  // Elements except the last need not wait for earlier results.
  vector_unit_properties u_properties (
    .clk_i, .rst_ni, .element_i(element_i & last_i), .ready_i(ready_o), .valid_i(valid_o), .take_i
  );
  `endif

endmodule
