// The lanes: immediates, two operations one after the other, conversion to what is written. Control comes from vector_execute;
// a register changes only when its stage takes an element.
module vector_lanes
  import isa_pkg::*;
  import core_pkg::*;
  import vector_pkg::*;
(
  input  logic clk_i,

  // Immediates of a bank: constants are filled in at the start of an operation, a [partitions,1] operand when its row arrives.
  input  logic             fill_i,
  input  logic             fill_bank_i,
  input  immediate_t [1:0] fill_imm_i,
  input  logic             imm_arrives_i,
  input  logic             imm_bank_i,
  input  logic             imm_index_i,
  input  logic [1:0]       imm_first_i,
  input  row_t             sbuf_rdata_i,

  // First operation, on the sources' elements.
  input  logic first_i,
  input  logic first_bank_i,
  input  alu_t first_alu_i,
  input  logic keep_b_i,  // the second operation needs b
  input  row_t a_i,
  input  row_t b_i,

  // Second operation.
  input  logic second_i,
  input  logic second_bank_i,
  input  alu_t second_alu_i,

  // Result: element type, destination quadrant; row_o is the word to write in every partition.
  input  logic       result_i,
  input  logic       result_raw_i,
  input  dtype_e     result_dtype_i,
  input  logic [1:0] result_first_i,
  output row_t       row_o
);

  row_t imm0_q [Banks];
  row_t imm1_q [Banks];
  row_t x_q, y_q, b_q, row_q;

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

  always_ff @(posedge clk_i) begin
    row_t result;
    if (first_i) begin
      if (first_alu_i.tensor) operate(result, first_alu_i.op, first_alu_i.reverse, a_i, b_i);
      else                    operate(result, first_alu_i.op, first_alu_i.reverse, a_i, imm0_q[first_bank_i]);
      x_q <= result;
      if (keep_b_i) b_q <= b_i;
    end
  end

  always_ff @(posedge clk_i) begin
    row_t result;
    if (second_i) begin
      if (second_alu_i.tensor) operate(result, second_alu_i.op, second_alu_i.reverse, x_q, b_q);
      else                     operate(result, second_alu_i.op, second_alu_i.reverse, x_q, imm1_q[second_bank_i]);
      y_q <= result;
    end
  end

  always_ff @(posedge clk_i) begin
    row_t bits, words, row;
    if (result_i) begin
      if (result_raw_i) bits = y_q;
      else              narrow_lane_pkg::from_fp32_row(bits, y_q, result_dtype_i);
      row_pkg::replicate_row(words, bits, dtype_size(result_dtype_i));
      row_pkg::rotate_to_partitions(row, words, result_first_i);
      row_q <= row;
    end
  end

  assign row_o = row_q;

endmodule
