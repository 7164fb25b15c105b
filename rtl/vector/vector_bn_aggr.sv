// Unit of bn_aggr: merges triples count, mean, m2 (sum of squared deviations), which come element by element; results mean,
// variance.
module vector_bn_aggr
  import core_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Elements, fp32: one in every cycle with element_i; first and last of an operation, which waits for ready_o, and
  // place in the triple.
  input  logic       element_i,
  input  logic       first_i,
  input  logic       last_i,
  input  logic [1:0] phase_i,
  input  row_t       x_i,
  output logic       ready_o,

  // Results in order, in all lanes: take_i moves on to the next.
  output logic valid_o,
  output row_t result_o,
  input  logic take_i
);

  logic       first_triple_q;
  logic [1:0] left_q;  // results not yet taken, the one in result_q among them
  row_t       count_q, mean_q, m2_q;      // so far
  row_t       next_count_q, next_mean_q;  // of the triple that comes
  row_t       variance_q, result_q;

  assign ready_o  = left_q == '0;
  assign valid_o  = left_q != '0;
  assign result_o = result_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_triple_q <= 1'b0;
      left_q         <= '0;
    end else begin
      if (element_i && phase_i == 2'd0) first_triple_q <= first_i;
      if (element_i && last_i) left_q <= 2'd2;
      else if (take_i)         left_q <= left_q - 2'd1;
    end
  end

  logic work_clk;

  clock_gate u_work_clock (
    .clk_i,
    .en_i (element_i | take_i),
    .clk_o(work_clk)
  );

  always_ff @(posedge work_clk) begin
    row_t count, mean, m2, variance;
    if (element_i) begin
      case (phase_i)
        2'd0: next_count_q <= x_i;
        2'd1: next_mean_q <= x_i;
        default: begin
          count = next_count_q;
          mean  = next_mean_q;
          m2    = x_i;
          if (!first_triple_q) begin
            bn_lane_pkg::merge(count, mean, m2, count_q, mean_q, m2_q, next_count_q, next_mean_q, x_i);
          end
          count_q <= count;
          mean_q  <= mean;
          m2_q    <= m2;
          if (last_i) begin
            bn_lane_pkg::divide_row(variance, m2, count);
            result_q   <= mean;
            variance_q <= variance;
          end
        end
      endcase
    end
    if (take_i) result_q <= variance_q;
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      LastWaitsForResults: assert ((element_i && last_i) -> ready_o);
      TakeOnlyValid: assert (take_i -> valid_o);
      StatusKnown: assert (!$isunknown({ready_o, valid_o}));
    end
  end
  `endif

endmodule
