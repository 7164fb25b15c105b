// Takes elements from the sources, sends them through the lanes and writes the results, in order.
//
// All stages move together: they stand still only while the result at the end waits for its memory port.
module vector_execute
  import isa_pkg::*;
  import core_pkg::*;
  import vector_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Operations in the order of their start; done_o tells that the oldest one has written its last element.
  input  logic       start_i,
  input  logic       bank_i,
  input  vector_op_t op_i,
  output logic       done_o,

  // The read of an immediate of op_i happens in this cycle.
  input  logic imm_read_i,
  input  logic imm_index_i,
  input  row_t sbuf_rdata_i,

  // Elements of the sources: valid in this cycle, the row after pop_o.
  input  logic a_valid_i,
  input  row_t a_i,
  output logic a_pop_o,
  input  logic b_valid_i,
  input  row_t b_i,
  output logic b_pop_o,

  // Write of a row to one of the memories; it happens in this cycle if the memory's grant is there.
  output logic       we_o,
  output logic       psum_o,
  output row_index_t row_o,
  output row_t       wdata_o,
  output logic [3:0] be_o,
  output mask_t      wmask_o,
  input  logic       sbuf_gnt_i,
  input  logic       psum_gnt_i
);

  // -------------------------------------------------------------------------------------------------- operations under way
  vector_op_t op_q [Banks];
  mask_t      mask_q [Banks];

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      op_q[bank_i]   <= op_i;
      mask_q[bank_i] <= row_pkg::partition_mask(op_i.dst.first, op_i.partitions);
    end
  end

  // ------------------------------------------------------------------------------------ elements enter the pipeline
  logic       advance, load, pop;
  logic       bank_q, next_bank_q;   // of the elements popped now, of the next operation
  logic [1:0] started_d, started_q;  // operations that have started and not begun to pop
  logic       running, last;
  offset_t    offset;

  assign load      = (started_q != '0) & (~running | (pop & last));
  assign started_d = started_q + 2'(start_i) - 2'(load);
  assign pop       = running & advance & a_valid_i & (b_valid_i | ~op_q[bank_q].uses_b);
  assign a_pop_o   = pop;
  assign b_pop_o   = pop & op_q[bank_q].uses_b;

  ap_iterator #(
    .AddrBits(OffsetBits)
  ) u_iterator (
    .clk_i,
    .rst_ni,
    .load_i   (load),
    .count_i  (op_q[next_bank_q].count),
    .step_i   (op_q[next_bank_q].dst.step),
    .size_i   (dtype_size(op_q[next_bank_q].dst.dtype)),
    .start_i  (op_q[next_bank_q].dst.offset),
    .valid_o  (running),
    .addr_o   (offset),
    .last_o   (last),
    .advance_i(pop)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q   <= '0;
      bank_q      <= 1'b0;
      next_bank_q <= 1'b0;
    end else begin
      started_q <= started_d;
      if (load) begin
        bank_q      <= next_bank_q;
        next_bank_q <= ~next_bank_q;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------- stages
  typedef struct packed {
    logic    valid;
    logic    bank;
    logic    last;
    offset_t offset;
  } stage_t;

  stage_t converted_q, first_q, second_q, write_q;  // where an element has got to

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      converted_q <= '0;
      first_q     <= '0;
      second_q    <= '0;
      write_q     <= '0;
    end else if (advance) begin
      converted_q <= '{valid: pop, bank: bank_q, last: last, offset: offset};
      first_q     <= converted_q;
      second_q    <= first_q;
      write_q     <= second_q;
    end
  end

  logic       imm_arrives_q, imm_index_q, imm_bank_q;
  logic [1:0] imm_first_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      imm_arrives_q <= 1'b0;
      imm_index_q   <= 1'b0;
      imm_bank_q    <= 1'b0;
      imm_first_q   <= '0;
    end else begin
      imm_arrives_q <= imm_read_i;
      imm_index_q   <= imm_index_i;
      imm_bank_q    <= bank_i;
      imm_first_q   <= op_i.imm[imm_index_i].first;
    end
  end

  vector_lanes u_lanes (
    .clk_i,
    .fill_i        (start_i),
    .fill_bank_i   (bank_i),
    .fill_imm_i    (op_i.imm),
    .imm_arrives_i (imm_arrives_q),
    .imm_bank_i    (imm_bank_q),
    .imm_index_i   (imm_index_q),
    .imm_first_i   (imm_first_q),
    .sbuf_rdata_i,
    .first_i       (advance & converted_q.valid),
    .first_bank_i  (converted_q.bank),
    .first_alu_i   (op_q[converted_q.bank].alu[0]),
    .keep_b_i      (op_q[converted_q.bank].alu[1].tensor),
    .a_i,
    .b_i,
    .second_i      (advance & first_q.valid),
    .second_bank_i (first_q.bank),
    .second_alu_i  (op_q[first_q.bank].alu[1]),
    .result_i      (advance & second_q.valid),
    .result_raw_i  (op_q[second_q.bank].raw),
    .result_dtype_i(op_q[second_q.bank].dst.dtype),
    .result_first_i(op_q[second_q.bank].dst.first),
    .row_o         (wdata_o)
  );

  // ----------------------------------------------------------------------------------------------------------------- write
  dtype_e dtype;

  assign psum_o  = op_q[write_q.bank].dst.psum;
  assign dtype   = op_q[write_q.bank].dst.dtype;
  assign advance = ~write_q.valid | (psum_o ? psum_gnt_i : sbuf_gnt_i);
  assign we_o    = write_q.valid & advance;
  assign row_o   = write_q.offset[OffsetBits-1:2];
  assign be_o    = row_pkg::element_enable(dtype_size(dtype), write_q.offset[1:0]);
  assign wmask_o = mask_q[write_q.bank];
  assign done_o  = we_o & write_q.last;

  `ifndef SYNTHESIS
  NeverMoreThanBanks: assert property (@(posedge clk_i) disable iff (!rst_ni) started_q <= 2'(Banks));
  PopNeedsA: assert property (@(posedge clk_i) disable iff (!rst_ni) a_pop_o |-> a_valid_i);
  PopNeedsB: assert property (@(posedge clk_i) disable iff (!rst_ni) b_pop_o |-> b_valid_i);
  StatusKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) !$isunknown({done_o, a_pop_o, b_pop_o, we_o}));
  WriteKnown: assert property (@(posedge clk_i) disable iff (!rst_ni) we_o |-> !$isunknown({psum_o, row_o, be_o, wmask_o}));
  `endif

endmodule
