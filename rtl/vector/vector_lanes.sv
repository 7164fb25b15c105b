// The lanes: two stages of operations one after the other, and a third one for the accumulator registers. An
// element moves on when the next stage has room; if its operation is a reciprocal, it goes through the
// dividers of its stage. Elements stay in order: others wait until the dividers are empty.
module vector_lanes
  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
  import vector_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // First stage: the sources' element and its operation. It stays until ready_o.
  input  slot_t        element_i,
  input  first_stage_t first_stage_i,
  input  row_t         a_i,
  input  row_t         b_i,
  input  row_t         imm0_i [Banks],
  output logic         ready_o,

  // Second stage: the element that the first stage has left in x_o, and its operation. An element of a unit
  // passes unchanged, with unit_ready_i. moves_o: it moves on in this cycle.
  output slot_t         first_o,
  output row_t          x_o,
  input  logic          unit_i,
  input  logic          unit_ready_i,
  /* verilator lint_off UNUSEDSIGNAL */  // the third stage gets its field from another operation
  input  second_stage_t second_stage_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  row_t          imm1_i [Banks],
  output logic          moves_o,

  // Third stage: the element that the second stage has left in y_o, and the lanes in which it is to be
  // written; it leaves with take_i. The accumulation and the partitions are those of its operation.
  output slot_t       second_o,
  output row_t        y_o,
  output mask_t       mask_o,
  input  logic        take_i,
  input  accumulate_t accumulate_i,
  input  logic [8:0]  partitions_i
);

  slot_t first_q, second_q;
  row_t  x_q, b_q;
  row_t  y_q [1], acc_q [1];  // arrays, because the simulator copies other registers that are read and written at each edge
  mask_t mask_q;

  assign first_o  = first_q;
  assign second_o = second_q;
  assign x_o      = x_q;
  assign y_o      = y_q[0];
  assign mask_o   = mask_q;

  // ----------------------------------------------------------------------------------------------------------- first stage
  alu_t  first_alu;
  logic  first_divides, first_waits, first_enters, first_free;
  logic  first_ready, first_empty, first_divided, first_takes;
  slot_t first_slot;
  row_t  first_result, first_b;
  logic  second_empty;

  // A recurrence goes through both stages: it begins with the immediate, then needs the result of the
  // previous element.
  always_comb begin
    first_alu = first_stage_i.alu;
    if (element_i.first && first_alu.second == SecondResult) first_alu.second = SecondImmediate;
  end

  assign first_divides = element_i.valid & ~element_i.value & (first_alu.op == AluOpReciprocal);
  assign first_waits   = (first_stage_i.alu.second == SecondResult) & (first_q.valid | ~first_empty | ~second_empty);
  assign first_free    = ~first_q.valid | moves_o;
  assign first_enters  = element_i.valid & ~first_waits & (first_divides ? first_ready : first_empty & first_free);
  assign first_takes   = first_divided & first_free;
  assign ready_o       = first_enters | ~element_i.valid;

  vector_dividers u_first_dividers (
    .clk_i,
    .rst_ni,
    .start_i  (first_enters & first_divides),
    .limited_i(first_stage_i.limited),
    .slot_i   (element_i),
    .reverse_i(first_alu.reverse),
    .second_i (first_alu.second),
    .x_i      (a_i),
    .tensor_i (b_i),
    .keep_i   (first_stage_i.keep_b),
    .last_i   (y_q[0]),
    .imm_i    (imm0_i),
    .ready_o  (first_ready),
    .empty_o  (first_empty),
    .valid_o  (first_divided),
    .slot_o   (first_slot),
    .result_o (first_result),
    .tensor_o (first_b),
    .take_i   (first_takes)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)          first_q <= '0;
    else if (first_takes) first_q <= first_slot;
    else if (first_free) begin
      first_q       <= element_i;
      first_q.valid <= first_enters & ~first_divides;
    end
  end

  always_ff @(posedge clk_i) begin
    row_t result;
    if (first_takes) begin
      x_q <= first_result;
      b_q <= first_b;
    end else if (first_enters && !first_divides) begin
      if (element_i.value) result = b_i;
      else vector_alu_pkg::operate_row(result, first_alu, a_i, b_i, y_q[0], imm0_i[element_i.bank]);
      x_q <= result;
      if (first_stage_i.keep_b) b_q <= b_i;
    end
  end

  // ---------------------------------------------------------------------------------------------------------- second stage
  alu_t    second_alu;
  logic    negates, second_divides, second_waits, second_free;
  logic    second_ready, second_divided, second_takes;
  slot_t   second_slot;
  row_t    second_result, unused_tensor;

  // A recurrence within this stage begins with x itself. The accumulators are read when earlier elements have
  // reached them.
  always_comb begin
    second_alu = second_stage_i.alu;
    if (first_q.first && second_alu.second == SecondResult) second_alu = vector_decode_pkg::Pass;
  end

  assign negates        = second_stage_i.negate & first_q.last;
  assign second_divides = first_q.valid & ~unit_i & (second_alu.op == AluOpReciprocal);
  assign second_waits   = ((second_stage_i.alu.second == SecondResult) & ~second_empty)
                        | ((second_stage_i.make == MakeAccumulator) & second_q.valid);
  assign second_free    = ~second_q.valid | take_i;
  assign moves_o        = first_q.valid & unit_ready_i & ~second_waits
                        & (second_divides ? second_ready : second_empty & second_free);
  assign second_takes   = second_divided & second_free;

  vector_dividers u_second_dividers (
    .clk_i,
    .rst_ni,
    .start_i  (moves_o & second_divides),
    .limited_i(1'b0),
    .slot_i   (first_q),
    .reverse_i(second_alu.reverse),
    .second_i (second_alu.second),
    .x_i      (x_q),
    .tensor_i (b_q),
    .keep_i   (1'b0),
    .last_i   (y_q[0]),
    .imm_i    (imm1_i),
    .ready_o  (second_ready),
    .empty_o  (second_empty),
    .valid_o  (second_divided),
    .slot_o   (second_slot),
    .result_o (second_result),
    .tensor_o (unused_tensor),
    .take_i   (second_takes)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)           second_q <= '0;
    else if (second_takes) second_q <= second_slot;
    else if (second_free) begin
      second_q       <= first_q;
      second_q.valid <= moves_o & ~second_divides;
    end
  end

  always_ff @(posedge clk_i) begin
    row_t  result;
    mask_t written;
    if (second_takes) begin
      y_q[0] <= second_result;
    end else if (moves_o && !unit_i && !second_divides) begin
      if (second_stage_i.make != MakeOperation || negates) begin
        vector_alu_pkg::make_row(result, second_stage_i.make, second_stage_i.alu.op, second_stage_i.invert, first_q.first,
                                 negates, x_q, y_q[0], b_q, imm1_i[first_q.bank], acc_q[0]);
      end else begin
        vector_alu_pkg::operate_row(result, second_alu, x_q, b_q, y_q[0], imm1_i[first_q.bank]);
      end
      y_q[0] <= result;

      if (second_stage_i.predicate) begin
        bit_lane_pkg::nonzero_mask(written, x_q, second_stage_i.invert);
        mask_q <= written;
      end
    end
  end

  // ----------------------------------------------------------------------------------------------------------- third stage
  always_ff @(posedge clk_i or negedge rst_ni) begin
    row_t start, accumulated;
    if (!rst_ni) begin
      acc_q[0] <= '0;
    end else if (second_q.valid && take_i && accumulate_i.enable) begin
      if (second_q.first && accumulate_i.start == StartImmediate) start = imm1_i[second_q.bank];
      else                                                        start = acc_q[0];
      vector_alu_pkg::accumulate_row(accumulated, accumulate_i.op, second_q.first & (accumulate_i.start == StartAnew), start,
                                     y_q[0], acc_q[0], row_pkg::partition_mask(2'd0, partitions_i));
      acc_q[0] <= accumulated;
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      TakeOnlyValid: assert (take_i -> second_q.valid);
      DividedStayInOrder: assert (!(first_takes && first_enters && !first_divides) && !(second_takes && moves_o && !second_divides));
      OnlyPlainOperationsDivide: assert (second_divides -> (second_stage_i.make == MakeOperation && !negates));
      StatusKnown: assert (!$isunknown({ready_o, moves_o, first_q.valid, second_q.valid}));
    end
  end
  `endif

endmodule
