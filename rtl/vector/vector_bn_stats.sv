// Unit of bn_stats: running mean and sum of squared deviations (m2) of the even and of the odd elements. The
// results are count, mean and m2 of the even elements, then of the odd ones.
//
// A pipeline that never stops takes an element a cycle, with one operation a stage, except where the mean
// feeds back. The halves take turns, so an element starts from the mean after the element two before it, and
// the second stage of that mean must be done when the next element but one comes.
//
//     difference = x - mean | mean += difference * share | rest = x - mean | square = difference * rest | m2 += square
module vector_bn_stats
  import core_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Elements, fp32: one in every cycle with element_i; the first and the last of an operation are marked. The
  // last one waits for ready_o.
  input  logic element_i,
  input  logic first_i,
  input  logic last_i,
  input  row_t x_i,
  output logic ready_o,

  // Results in order, in all lanes; take_i moves on to the next.
  output logic valid_o,
  output row_t result_o,
  input  logic take_i
);

  import vector_lane_pkg::*;

  typedef logic [$clog2(bn_lane_pkg::MaxElements+1)-1:0] count_t;

  // -------------------------------------------------------------------------------------------------------------- elements
  logic   odd_q, odd;                        // the next element belongs to the odd half
  count_t even_count_q, odd_count_q;
  count_t even_count, odd_count, count;      // includes this element

  assign odd        = odd_q & ~first_i;
  assign even_count = (first_i ? '0 : even_count_q) + count_t'(!odd);
  assign odd_count  = (first_i ? '0 : odd_count_q) + count_t'(odd);
  assign count      = odd ? odd_count : even_count;

  // An element on its way.
  typedef struct packed {
    logic valid;
    logic odd;
    logic begins;  // first element of its half
    logic last;    // last element of the operation
    logic single;  // its half is the only one
  } element_t;

  localparam int unsigned Stages = 4;  // after the first stage
  element_t [Stages:1] stage_q;        // elements in the stages
  count_t   share_q, ended_even_q, ended_odd_q;
  logic     ending;                    // the last element of an operation is on its way

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      odd_q        <= 1'b0;
      even_count_q <= '0;
      odd_count_q  <= '0;
      share_q      <= '0;
      ended_even_q <= '0;
      ended_odd_q  <= '0;
      stage_q      <= '0;
    end else begin
      stage_q <= {stage_q[Stages-1:1], element_t'{valid: element_i, odd: odd, begins: count == count_t'(1), last: last_i,
                                                  single: first_i}};
      if (element_i) begin
        odd_q        <= ~odd;
        even_count_q <= even_count;
        odd_count_q  <= odd_count;
        share_q      <= count;
        if (last_i) begin
          ended_even_q <= even_count;
          ended_odd_q  <= odd_count;
        end
      end
    end
  end

  always_comb begin
    ending = 1'b0;
    for (int unsigned k = 1; k <= Stages; k++) ending |= stage_q[k].valid & stage_q[k].last;
  end

  // ---------------------------------------------------------------------------------------------------------------- results
  localparam int unsigned Results = 6;
  logic [2:0] left_q;  // results not taken yet, including the one in result_q
  logic       ends;    // the last element is in the last stage

  assign ends    = stage_q[4].valid & stage_q[4].last;
  assign ready_o = (left_q == '0) & ~ending;
  assign valid_o = left_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)     left_q <= '0;
    else if (ends)   left_q <= 3'(Results);
    else if (take_i) left_q <= left_q - 3'd1;
  end

  // ------------------------------------------------------------------------------------------------------------------ rows
  function automatic logic [31:0] to_fp32(count_t value);
    return fp32_lane_pkg::from_signed(32'(value));
  endfunction

  logic work_clk;

  clock_gate u_work_clock (
    .clk_i,
    .en_i (element_i | take_i | stage_q[1].valid | stage_q[2].valid | stage_q[3].valid | stage_q[4].valid),
    .clk_o(work_clk)
  );

  row_t x_q [1:2], difference_q [1:3], rest_q, square_q;  // [k]: after stage k
  row_t mean_q [2], m2_q [2];
  row_t ended_mean_q [2], ended_m2_q [2];  // belong to the operation with results to come
  row_t result_q;

  assign result_o = result_q;

  // The stages are updated from last to first, so each finds the values of the one before.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge work_clk) begin
    row_t start, part, spread;
    if (stage_q[4].valid) begin
      start = stage_q[4].begins ? '0 : m2_q[stage_q[4].odd];
      add_row(part, start, square_q);
      m2_q[stage_q[4].odd] = part;
      if (ends) begin
        ended_m2_q[0] = m2_q[0];
        ended_m2_q[1] = stage_q[4].single ? '0 : m2_q[1];
      end
    end
    if (stage_q[3].valid) mul_row(square_q, difference_q[3], rest_q);
    if (stage_q[2].valid) begin
      sub_row(rest_q, x_q[2], mean_q[stage_q[2].odd]);
      difference_q[3] = difference_q[2];
      if (stage_q[2].last) begin
        ended_mean_q[0] = mean_q[0];
        ended_mean_q[1] = stage_q[2].single ? '0 : mean_q[1];
      end
    end
    if (stage_q[1].valid) begin
      row_pkg::broadcast_row(spread, bn_lane_pkg::Shares[share_q]);
      mul_row(part, difference_q[1], spread);
      start = stage_q[1].begins ? '0 : mean_q[stage_q[1].odd];
      add_row(spread, start, part);
      mean_q[stage_q[1].odd] = spread;
      x_q[2] = x_q[1];
      difference_q[2] = difference_q[1];
    end
    if (element_i) begin
      start = (count == count_t'(1)) ? '0 : mean_q[odd];
      sub_row(difference_q[1], x_i, start);
      x_q[1] = x_i;
    end

    if (ends || take_i) begin
      row_pkg::broadcast_row(spread, to_fp32(ends ? ended_even_q : ended_odd_q));
      case (left_q)
        3'd6:    result_q <= ended_mean_q[0];
        3'd5:    result_q <= ended_m2_q[0];
        3'd3:    result_q <= ended_mean_q[1];
        3'd2:    result_q <= ended_m2_q[1];
        default: result_q <= spread;
      endcase
    end
  end
  /* verilator lint_on BLKSEQ */

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      EndsWithoutResultsLeft: assert (ends -> !valid_o);
      MeanIsOver: assert ((element_i && count != count_t'(1) && stage_q[1].valid) -> stage_q[1].odd != odd);
    end
  end
  // Elements except the last need not wait for earlier results.
  vector_unit_properties u_properties (
    .clk_i, .rst_ni, .element_i(element_i & last_i), .ready_i(ready_o), .valid_i(valid_o), .take_i
  );
  `endif

endmodule
