// The lanes: two stages of operations one after the other, accumulator registers. Control comes from
// vector_execute; a register changes only when its stage takes an element.
module vector_lanes
  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
  import vector_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // First stage, on the sources' elements. A recurrence begins with its immediate where first_begins_i.
  input  logic         first_i,
  input  logic         first_bank_i,
  input  logic         first_begins_i,
  input  logic         first_value_i,  // b's element goes to x as it is
  input  first_stage_t first_stage_i,
  input  row_t         a_i,
  input  row_t         b_i,
  input  row_t         imm0_i [Banks],

  // Second stage, on x_o and the b kept; the element begins or ends its group. Partitions are those of the operation.
  input  logic          second_i,
  input  logic          second_bank_i,
  input  logic          second_begins_i,
  input  logic          second_ends_i,
  input  second_stage_t second_stage_i,
  input  logic [8:0]    second_partitions_i,
  input  row_t          imm1_i [Banks],
  output row_t          x_o,

  // What the second stage has made, and in which lanes it is to be written.
  output row_t  y_o,
  output mask_t mask_o
);

  row_t x_q, y_q, b_q, acc_q;
  mask_t mask_q;

  alu_t first_alu, second_alu;
  assign first_alu  = first_stage_i.alu;
  assign second_alu = second_stage_i.alu;

  always_ff @(posedge clk_i) begin
    row_t other, result;
    if (first_i) begin
      if (first_alu.second == SecondTensor)                          other = b_i;
      else if (first_alu.second == SecondResult && !first_begins_i) other = y_q;
      else                                                           other = imm0_i[first_bank_i];
      if (first_value_i)          result = b_i;
      else if (first_alu.reverse) vector_alu_pkg::alu_row(result, first_alu.op, other, a_i);
      else                        vector_alu_pkg::alu_row(result, first_alu.op, a_i, other);
      x_q <= result;
      if (first_stage_i.keep_b) b_q <= b_i;
    end
  end

  // A recurrence begins with x itself.
  alu_op_e second_op;
  logic    second_passes;
  assign second_passes = second_begins_i & (second_alu.second == SecondResult);
  assign second_op     = second_passes ? AluOpBypass : second_alu.op;

  logic negates;
  assign negates = second_stage_i.negate & second_ends_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    row_t  other, result, accumulated;
    mask_t written;
    if (!rst_ni) begin
      acc_q <= '0;
    end else if (second_i) begin
      if (second_alu.second == SecondTensor)      other = b_q;
      else if (second_alu.second == SecondResult) other = y_q;
      else                                        other = imm1_i[second_bank_i];

      if (second_stage_i.make != MakeOperation || negates) begin
        vector_alu_pkg::make_row(result, second_stage_i.make, second_alu.op, second_stage_i.invert, second_begins_i, negates,
                                 x_q, other, b_q, acc_q);
      end else if (second_alu.reverse && !second_passes) begin
        vector_alu_pkg::alu_row(result, second_op, other, x_q);
      end else begin
        vector_alu_pkg::alu_row(result, second_op, x_q, other);
      end
      y_q <= result;

      if (second_stage_i.predicate) begin
        bit_lane_pkg::nonzero_mask(written, x_q, second_stage_i.invert);
        mask_q <= written;
      end

      if (second_stage_i.acc.enable) begin
        if (second_begins_i && second_stage_i.acc.start == StartImmediate) other = imm1_i[second_bank_i];
        else                                                               other = acc_q;
        vector_alu_pkg::accumulate_row(accumulated, second_stage_i.acc.op,
                                       second_begins_i & (second_stage_i.acc.start == StartAnew), other, result, acc_q,
                                       row_pkg::partition_mask(2'd0, second_partitions_i));
        acc_q <= accumulated;
      end
    end
  end

  assign x_o    = x_q;
  assign y_o    = y_q;
  assign mask_o = mask_q;

endmodule
