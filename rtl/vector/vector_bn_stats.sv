// Unit of bn_stats: running mean and sum of squared deviations (m2) of the even and of the odd elements; results count, mean,
// m2 of the even ones, then of the odd ones.
module vector_bn_stats
  import core_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Elements, fp32: one in every cycle with element_i; first and last of an operation. The last one waits for ready_o.
  input  logic element_i,
  input  logic first_i,
  input  logic last_i,
  input  row_t x_i,
  output logic ready_o,

  // Results in order, in all lanes: take_i moves on to the next.
  output logic valid_o,
  output row_t result_o,
  input  logic take_i
);

  localparam int unsigned MaxElements = 256;  // of a half
  typedef logic [$clog2(MaxElements+1)-1:0] count_t;

  function automatic logic [31:0] to_fp32(count_t count);
    return widen_lane_pkg::integer_lane(32'd0, 32'(count));
  endfunction

  // ------------------------------------------------------------------------------------------------------------ statistics
  logic       odd_q, odd;     // the element due belongs to the odd half
  count_t     even_count_q, odd_count_q;
  count_t     even_count, odd_count, count;  // with this element
  row_t       mean_q [2], m2_q [2];

  assign odd        = odd_q & ~first_i;
  assign even_count = (first_i ? '0 : even_count_q) + count_t'(!odd);
  assign odd_count  = (first_i ? '0 : odd_count_q) + count_t'(odd);
  assign count      = odd ? odd_count : even_count;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      odd_q        <= 1'b0;
      even_count_q <= '0;
      odd_count_q  <= '0;
    end else if (element_i) begin
      odd_q        <= ~odd;
      even_count_q <= even_count;
      odd_count_q  <= odd_count;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------- results
  localparam int unsigned Results = 6;
  logic [2:0] left_q;  // results not yet taken, the one in result_q among them
  count_t     result_odd_count_q;
  row_t       result_mean_q [2], result_m2_q [2];
  row_t       result_q;

  assign ready_o  = left_q == '0;
  assign valid_o  = left_q != '0;
  assign result_o = result_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                  left_q <= '0;
    else if (element_i && last_i) left_q <= 3'(Results);
    else if (take_i)              left_q <= left_q - 3'd1;
  end

  logic work_clk;

  clock_gate u_work_clock (
    .clk_i,
    .en_i (element_i | take_i),
    .clk_o(work_clk)
  );

  always_ff @(posedge work_clk) begin
    row_t mean, m2, spread;
    if (element_i) begin
      row_pkg::broadcast_row(spread, reciprocal_lane_pkg::reciprocal_lane(to_fp32(count)));
      if (count == count_t'(1)) bn_lane_pkg::add_element(mean, m2, '0, '0, x_i, spread);
      else                      bn_lane_pkg::add_element(mean, m2, mean_q[odd], m2_q[odd], x_i, spread);
      mean_q[odd] <= mean;
      m2_q[odd]   <= m2;
      if (last_i) begin
        row_pkg::broadcast_row(spread, to_fp32(even_count));
        result_q            <= spread;
        result_odd_count_q  <= odd_count;
        result_mean_q[odd]  <= mean;
        result_m2_q[odd]    <= m2;
        result_mean_q[!odd] <= first_i ? '0 : mean_q[!odd];
        result_m2_q[!odd]   <= first_i ? '0 : m2_q[!odd];
      end
    end
    if (take_i) begin
      row_pkg::broadcast_row(spread, to_fp32(result_odd_count_q));
      case (left_q)
        3'd6:    result_q <= result_mean_q[0];
        3'd5:    result_q <= result_m2_q[0];
        3'd4:    result_q <= spread;
        3'd3:    result_q <= result_mean_q[1];
        default: result_q <= result_m2_q[1];
      endcase
    end
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
