// The lanes: immediates, two stages of operations one after the other, accumulator registers. Control comes from
// vector_execute; a register changes only when its stage takes an element.
module vector_lanes
  import isa_pkg::*;
  import core_pkg::*;
  import vector_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Immediates of a bank: constants are filled in at the start of an operation, a [partitions,1] operand when its row arrives.
  input  logic             fill_i,
  input  logic             fill_bank_i,
  input  immediate_t [1:0] fill_imm_i,
  input  logic             imm_arrives_i,
  input  logic             imm_bank_i,
  input  logic             imm_index_i,
  input  logic [1:0]       imm_first_i,
  input  row_t             sbuf_rdata_i,

  // First stage, on the sources' elements. A recurrence begins with its immediate where first_begins_i.
  input  logic         first_i,
  input  logic         first_bank_i,
  input  logic         first_begins_i,
  input  first_stage_t first_stage_i,
  input  row_t         a_i,
  input  row_t         b_i,

  // Second stage, on x_o and the b kept; the element begins or ends its group. Partitions are those of the operation.
  input  logic          second_i,
  input  logic          second_bank_i,
  input  logic          second_begins_i,
  input  logic          second_ends_i,
  input  second_stage_t second_stage_i,
  input  logic [8:0]    second_partitions_i,
  output row_t          x_o,

  // What the second stage has made, and in which lanes it is to be written.
  output row_t  y_o,
  output mask_t mask_o
);

  row_t imm0_q [Banks];
  row_t imm1_q [Banks];
  row_t x_q, y_q, b_q, acc_q;
  mask_t mask_q;

  always_ff @(posedge clk_i) begin
    row_t lanes;
    if (fill_i) begin
      if (fill_imm_i[0].used && !fill_imm_i[0].is_vector) begin
        row_pkg::broadcast_row(lanes, fill_imm_i[0].value);
        imm0_q[fill_bank_i] <= lanes;
      end
      if (fill_imm_i[1].used && !fill_imm_i[1].is_vector) begin
        row_pkg::broadcast_row(lanes, fill_imm_i[1].value);
        imm1_q[fill_bank_i] <= lanes;
      end
    end
    if (imm_arrives_i) begin
      row_pkg::rotate_to_lanes(lanes, sbuf_rdata_i, imm_first_i);
      if (imm_index_i) imm1_q[imm_bank_i] <= lanes;
      else             imm0_q[imm_bank_i] <= lanes;
    end
  end

  // `x op y`, or `y op x` when the operation is reversed.
  function automatic void operate(output row_t result, input alu_op_e op, input logic reverse, input row_t x, input row_t y);
    if (reverse) vector_alu_pkg::alu_row(result, op, y, x);
    else         vector_alu_pkg::alu_row(result, op, x, y);
  endfunction

  alu_t first_alu, second_alu;
  assign first_alu  = first_stage_i.alu;
  assign second_alu = second_stage_i.alu;

  always_ff @(posedge clk_i) begin
    row_t result;
    if (first_i) begin
      if (first_alu.second == SecondTensor) begin
        operate(result, first_alu.op, first_alu.reverse, a_i, b_i);
      end else if (first_alu.second == SecondResult && !first_begins_i) begin
        operate(result, first_alu.op, first_alu.reverse, a_i, y_q);
      end else begin
        operate(result, first_alu.op, first_alu.reverse, a_i, imm0_q[first_bank_i]);
      end
      x_q <= result;
      if (first_stage_i.keep_b) b_q <= b_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    row_t  result, reduced, accumulated;
    mask_t written;
    if (!rst_ni) begin
      acc_q <= '0;
    end else if (second_i) begin
      case (second_stage_i.make)
        MakeSelection:
          bit_lane_pkg::select_row(result, b_q, x_q, imm1_q[second_bank_i], second_stage_i.invert);
        MakeAccumulator: result = acc_q;
        MakePairReduction: vector_alu_pkg::reduce_pair_row(result, second_alu.op, second_begins_i, y_q, x_q);
        default: begin
          if (second_alu.second == SecondTensor) begin
            operate(result, second_alu.op, second_alu.reverse, x_q, b_q);
          end else if (second_alu.second == SecondImmediate) begin
            operate(result, second_alu.op, second_alu.reverse, x_q, imm1_q[second_bank_i]);
          end else if (second_begins_i) begin
            result = x_q;
          end else begin
            operate(result, second_alu.op, second_alu.reverse, x_q, y_q);
          end
        end
      endcase

      if (second_stage_i.negate && second_ends_i) begin
        bit_lane_pkg::negate_row(reduced, result);
        y_q <= reduced;
      end else begin
        y_q <= result;
      end
      if (second_stage_i.predicate) begin
        bit_lane_pkg::nonzero_mask(written, x_q, second_stage_i.invert);
        mask_q <= written;
      end

      if (second_stage_i.acc.enable) begin
        if (!second_begins_i || second_stage_i.acc.start == StartContinue) begin
          operate(reduced, second_stage_i.acc.op, second_stage_i.acc.reverse, acc_q, result);
        end else if (second_stage_i.acc.start == StartImmediate) begin
          operate(reduced, second_stage_i.acc.op, second_stage_i.acc.reverse, imm1_q[second_bank_i], result);
        end else begin
          reduced = result;
        end
        row_pkg::merge_row(accumulated, acc_q, reduced, '1, row_pkg::partition_mask(2'd0, second_partitions_i));
        acc_q <= accumulated;
      end
    end
  end

  assign x_o    = x_q;
  assign y_o    = y_q;
  assign mask_o = mask_q;

endmodule
