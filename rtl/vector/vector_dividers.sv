// Reciprocals of a stage of the lanes: iterative dividers, which elements use in turn, and a register after
// the rounding of their quotients. A division takes Digits cycles of one digit each, so all dividers together
// take an element in every cycle; with limited_i they take VectorReciprocalNum in VectorReciprocalDen cycles.
// Results come in order.
module vector_dividers
  import core_pkg::*;
  import elementwise_pkg::*;
  import vector_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // An element and the operands of its operation. The result is 1 / x_i or, if the operation is reversed, 1
  // divided by the second operand. The tensor is kept with keep_i. limited_i: the rate is limited.
  input  logic    start_i,
  input  logic    limited_i,
  input  slot_t   slot_i,
  input  logic    reverse_i,
  input  second_e second_i,
  input  row_t    x_i,
  input  row_t    tensor_i,
  input  logic    keep_i,
  input  row_t    last_i,  // the result of the previous element
  input  row_t    imm_i [Banks],
  output logic    ready_o,
  output logic    empty_o,  // there is no element in this block

  // The oldest element, once it is done.
  output logic  valid_o,
  output slot_t slot_o,
  output row_t  result_o,
  output row_t  tensor_o,
  input  logic  take_i
);

  import reciprocal_lane_pkg::*;

  localparam int unsigned Dividers = Digits;
  typedef logic [$clog2(Dividers)-1:0] index_t;
  typedef logic [$clog2(Dividers+1)-1:0] count_t;

  index_t head_q, tail_q;
  count_t count_q;
  slot_t  [Dividers-1:0] slot_q;
  index_t [Dividers-1:0] left_q;  // digits left

  // The value of the oldest divider is rounded as soon as the previous result has gone.
  slot_t result_slot_q;
  logic  busy, round, allowed;

  assign busy    = count_q != '0;
  assign round   = busy & (left_q[head_q] == '0) & (~result_slot_q.valid | take_i);
  assign ready_o = ((32'(count_q) != Dividers) | round) & (~limited_i | allowed);
  assign empty_o = ~busy & ~result_slot_q.valid;
  assign valid_o = result_slot_q.valid;
  assign slot_o  = result_slot_q;

  // Between two instructions the block becomes empty only when the rate allows an element again, so an empty
  // block needs no cycles of the limit.
  rate_limit #(.Num(cfg_pkg::VectorReciprocalNum), .Den(cfg_pkg::VectorReciprocalDen)) u_rate (
    .clk_i, .rst_ni, .enable_i(start_i | ~empty_o), .take_i(start_i & limited_i), .first_i(slot_i.first), .ready_o(allowed)
  );

  function automatic index_t next(index_t index);
    return (32'(index) == Dividers - 1) ? '0 : index + index_t'(1);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q        <= '0;
      tail_q        <= '0;
      count_q       <= '0;
      result_slot_q <= '0;
      left_q        <= '0;
    end else if (start_i || !empty_o) begin
      if (start_i) tail_q <= next(tail_q);
      if (round)   head_q <= next(head_q);
      count_q <= count_q + count_t'(start_i) - count_t'(round);
      if (round)       result_slot_q <= slot_q[head_q];
      else if (take_i) result_slot_q.valid <= 1'b0;
      for (int unsigned d = 0; d < Dividers; d++) begin
        if (start_i && 32'(tail_q) == d) left_q[d] <= index_t'(Digits - 1);
        else if (left_q[d] != '0)        left_q[d] <= left_q[d] - index_t'(1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) slot_q[tail_q] <= slot_i;
  end

  // ------------------------------------------------------------------------------------------------------------- divisions
  row_t value_q [Dividers], remainder_q [Dividers], quotient_q [Dividers], tensor_q [Dividers];
  row_t result_q, result_tensor_q;

  assign result_o = result_q;
  assign tensor_o = result_tensor_q;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    row_t value, remainder, quotient;
    if (round) begin
      finish_row(value, value_q[head_q], remainder_q[head_q], quotient_q[head_q]);
      result_q        <= value;
      result_tensor_q <= tensor_q[head_q];
    end
    if (busy) begin
      for (int unsigned d = 0; d < Dividers; d++) begin
        if (left_q[d] != '0) begin
          digit_row(remainder, quotient, remainder_q[d], quotient_q[d], value_q[d]);
          remainder_q[d] = remainder;
          quotient_q[d]  = quotient;
        end
      end
    end
    if (start_i) begin
      if (!reverse_i)                    value = x_i;
      else if (second_i == SecondTensor) value = tensor_i;
      else if (second_i == SecondResult) value = last_i;
      else                               value = imm_i[slot_i.bank];
      begin_row(remainder, quotient, value);
      value_q[tail_q]     = value;
      remainder_q[tail_q] = remainder;
      quotient_q[tail_q]  = quotient;
      if (keep_i) tensor_q[tail_q] = tensor_i;
    end
  end
  /* verilator lint_on BLKSEQ */

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      StartOnlyReady: assert (start_i -> ready_o);
      StartOnlyDone: assert (start_i -> (32'(count_q) != Dividers || round));
      TakeOnlyValid: assert (take_i -> valid_o);
      NeverMoreThanDividers: assert (32'(count_q) <= Dividers);
      StatusKnown: assert (!$isunknown({ready_o, empty_o, valid_o}));
    end
  end
  `endif

endmodule
