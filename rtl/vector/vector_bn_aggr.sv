// Unit of bn_aggr: merges triples of count, mean and m2 (sum of squared deviations), which come element by
// element. The results are mean and variance.
//
// A triple takes 13 steps of an iteration with a multiplier, a divider of one digit a step, and two adders,
// one of them only for m2. a is the merged value so far, b is the new triple.
//
//     step   adder                       divider            multiplier                          adder of m2
//      0     n = n_a + n_b
//      1     difference = mean_b - mean_a  digits of 1 / n
//      2     both = m2_a + m2_b            ...              scaled = difference * n_a
//      9                                   rounding
//     10                                                    weight = n_b / n
//     11                                                    part = difference * weight
//     12     mean = mean_a + part                           square = scaled * part
//     13                                                                                        m2 = both + square
//     14                                                    variance = m2 / n, after the last
//
// Steps 0 to 2 wait for an element each; steps 13 and 14 run during steps 0 and 1 of the next triple.
module vector_bn_aggr
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

  // Results in order, in all lanes; take_i moves on to the next.
  output logic valid_o,
  output row_t result_o,
  input  logic take_i
);

  import vector_lane_pkg::*;
  import reciprocal_lane_pkg::*;

  typedef logic [3:0] step_t;
  localparam step_t StepCount = 4'd0;
  localparam step_t StepMean = 4'd1;
  localparam step_t StepM2 = 4'd2;
  localparam step_t StepRounding = StepMean + step_t'(Digits);  // the first digit is made in StepMean
  localparam step_t StepWeight = StepRounding + 4'd1;
  localparam step_t StepPart = StepRounding + 4'd2;
  localparam step_t StepEnd = StepRounding + 4'd3;

  // ----------------------------------------------------------------------------------------------------------------- steps
  step_t      step_q;
  logic       waits, moves;           // the step takes an element; it is done in this cycle
  logic       alone_q, last_q;        // the triple is the first, so nothing is merged; it is the last
  logic       sums_q, ends_q, ended_q;  // step 13 sums m2; the last triple is at step 13; at step 14
  logic [1:0] left_q;                 // results not taken yet, including the one in result_q

  assign waits   = step_q <= StepM2;
  assign moves   = element_i | ~waits;
  assign ready_o = waits & ((left_q == '0) | ~last_i);
  assign valid_o = left_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q  <= '0;
      alone_q <= 1'b0;
      last_q  <= 1'b0;
      sums_q  <= 1'b0;
      ends_q  <= 1'b0;
      ended_q <= 1'b0;
      left_q  <= '0;
    end else begin
      if (moves) step_q <= (step_q == StepEnd) ? '0 : step_q + 4'd1;
      if (element_i && step_q == StepCount) alone_q <= first_i;
      if (element_i && step_q == StepM2) last_q <= last_i;
      sums_q  <= (step_q == StepEnd) & ~alone_q;
      ends_q  <= (step_q == StepEnd) & last_q;
      ended_q <= ends_q;
      if (ended_q)     left_q <= 2'd2;
      else if (take_i) left_q <= left_q - 2'd1;
    end
  end

  // ------------------------------------------------------------------------------------------------------------------ rows
  logic work_clk;

  clock_gate u_work_clock (
    .clk_i,
    .en_i (moves | sums_q | ended_q | take_i),
    .clk_o(work_clk)
  );

  row_t n_q, mean_q, m2_q;                     // merged values so far; n includes the new triple
  row_t n_a_q, n_b_q;
  row_t remainder_q, quotient_q, share_q;      // division of 1 by n
  row_t difference_q, both_q, scaled_q, weight_q, part_q, square_q;
  row_t variance_q, result_q;

  assign result_o = result_q;

  always_ff @(posedge work_clk) begin
    row_t left, right, sum, product, remainder, quotient;

    // The adder.
    case (step_q)
      StepCount: left = n_q;
      StepM2:    left = m2_q;
      default:   left = mean_q;
    endcase
    right = waits ? x_i : part_q;
    if (step_q == StepMean) sub_row(sum, x_i, mean_q);
    else                    add_row(sum, left, right);
    case (step_q)
      StepCount: if (element_i) begin
        n_q   <= first_i ? x_i : sum;
        n_a_q <= n_q;
        n_b_q <= x_i;
      end
      StepMean: if (element_i) begin
        difference_q <= sum;
        if (alone_q) mean_q <= x_i;
      end
      StepM2: if (element_i) begin
        both_q <= sum;
        if (alone_q) m2_q <= x_i;
      end
      StepEnd: if (!alone_q) mean_q <= sum;
      default:;
    endcase

    // The adder of m2.
    if (sums_q) begin
      add_row(sum, both_q, square_q);
      m2_q <= sum;
    end

    // The divider.
    if (moves && step_q == StepMean) begin
      begin_row(remainder, quotient, n_q);
      remainder_q <= remainder;
      quotient_q  <= quotient;
    end else if (moves && step_q > StepMean && step_q < StepRounding) begin
      digit_row(remainder, quotient, remainder_q, quotient_q, n_q);
      remainder_q <= remainder;
      quotient_q  <= quotient;
    end else if (step_q == StepRounding) begin
      finish_row(remainder, n_q, remainder_q, quotient_q);
      share_q <= remainder;
    end

    // The multiplier.
    case (step_q)
      StepM2:     right = n_a_q;
      StepPart:   right = weight_q;
      default:    right = part_q;
    endcase
    if (ended_q)                   bn_lane_pkg::share_row(product, m2_q, share_q);
    else if (step_q == StepWeight) bn_lane_pkg::share_row(product, n_b_q, share_q);
    else                           mul_row(product, (step_q == StepEnd) ? scaled_q : difference_q, right);
    case (step_q)
      StepM2:     if (element_i) scaled_q <= product;
      StepWeight: weight_q <= product;
      StepPart:   part_q <= product;
      StepEnd:    square_q <= product;
      default:;
    endcase

    // The results.
    if (ended_q) begin
      result_q   <= mean_q;
      variance_q <= product;
    end else if (take_i) begin
      result_q <= variance_q;
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      LastCompletesATriple: assert ((element_i && last_i) -> step_q == StepM2);
      EndsWithoutResultsLeft: assert (ended_q -> !valid_o);
      OneProduct: assert (!ended_q || step_q <= StepMean);
    end
  end
  vector_unit_properties u_properties (
    .clk_i, .rst_ni, .element_i, .ready_i(ready_o), .valid_i(valid_o), .take_i
  );
  `endif

endmodule
