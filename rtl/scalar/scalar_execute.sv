// Takes elements from the source, sends them through the lanes and writes the results, in order.
//
// All stages move together: they stand still only while the result at the end waits for its memory port.
module scalar_execute
  import isa_pkg::*;
  import core_pkg::*;
  import vector_pkg::*;
  import scalar_pkg::*;
  import scalar_table_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Operations in the order of their start; done_o tells that the oldest one has written its last element.
  input  logic       start_i,
  input  logic       bank_i,
  /* verilator lint_off UNUSEDSIGNAL */  // operands and immediates only
  input  vector_op_t op_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  scalar_op_t scalar_op_i,
  output logic       done_o,

  // The read of an immediate of op_i happens in this cycle.
  input  logic imm_read_i,
  input  logic imm_index_i,
  input  row_t sbuf_rdata_i,

  // Elements of the source: valid in this cycle, the row after pop_o.
  input  logic a_valid_i,
  input  row_t a_i,
  output logic a_pop_o,

  // Tables: words to write, on a clock of their own, while no element is under way.
  input  logic        table_clk_i,
  input  logic        table_we_i,
  input  table_beat_t table_beat_i,

  // Seeds the generators of stochastic rounding.
  input  logic        seed_valid_i,
  input  logic [31:0] seed_i,

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
  scalar_op_t op_q [Banks];
  operand_t   dst_q [Banks];
  count_t     count_q [Banks];
  mask_t      lanes_q [Banks], mask_q [Banks];

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      op_q[bank_i]    <= scalar_op_i;
      dst_q[bank_i]   <= op_i.dst;
      count_q[bank_i] <= op_i.count;
      lanes_q[bank_i] <= row_pkg::partition_mask(2'd0, op_i.partitions);
      mask_q[bank_i]  <= row_pkg::partition_mask(op_i.dst.first, op_i.partitions);
    end
  end

  // ----------------------------------------------------------------------------------------- elements enter the pipeline
  logic       advance, load, running, last, first_q;
  logic       bank_q, next_bank_q;   // of the elements popped now, of the next operation
  logic [1:0] started_d, started_q;  // operations that have started and not begun to pop
  element_slot_t      slot_q;
  offset_t    offset;

  assign load      = (started_q != '0) & (~running | (a_pop_o & last));
  assign started_d = started_q + 2'(start_i) - 2'(load);
  assign a_pop_o   = running & advance & a_valid_i;

  ap_iterator #(
    .AddrBits(OffsetBits)
  ) u_iterator (
    .clk_i,
    .rst_ni,
    .load_i   (load),
    .count_i  (count_q[next_bank_q]),
    .step_i   (dst_q[next_bank_q].step),
    .size_i   (dtype_size(dst_q[next_bank_q].dtype)),
    .start_i  (dst_q[next_bank_q].offset),
    .valid_o  (running),
    .addr_o   (offset),
    .last_o   (last),
    .advance_i(a_pop_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q   <= '0;
      bank_q      <= 1'b0;
      next_bank_q <= 1'b0;
      first_q     <= 1'b0;
      slot_q      <= '0;
    end else begin
      started_q <= started_d;
      slot_q    <= slot_q + element_slot_t'(a_pop_o);
      if (load) begin
        bank_q      <= next_bank_q;
        next_bank_q <= ~next_bank_q;
        first_q     <= 1'b1;
      end else if (a_pop_o) begin
        first_q <= 1'b0;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------- stages
  element_t [Stages-1:0] element_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      element_q <= '0;
    end else if (advance) begin
      element_q <= {element_q[Stages-2:0],
                    element_t'{valid: a_pop_o, bank: bank_q, first: first_q, last: last, slot: slot_q, offset: offset}};
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

  scalar_lanes u_lanes (
    .clk_i,
    .rst_ni,
    .fill_i       (start_i),
    .fill_bank_i  (bank_i),
    .fill_imm_i   (op_i.imm),
    .imm_arrives_i(imm_arrives_q),
    .imm_bank_i   (imm_bank_q),
    .imm_index_i  (imm_index_q),
    .imm_first_i  (imm_first_q),
    .sbuf_rdata_i,
    .advance_i    (advance),
    .element_i    (element_q),
    .op_i         (op_q),
    .lanes_i      (lanes_q),
    .dst_i        (dst_q),
    .value_i      (a_i),
    .table_clk_i,
    .table_we_i,
    .table_beat_i,
    .seed_valid_i,
    .seed_i,
    .row_o        (wdata_o)
  );

  // ----------------------------------------------------------------------------------------------------------------- write
  /* verilator lint_off UNUSEDSIGNAL */  // no slot any more
  element_t writes;
  /* verilator lint_on UNUSEDSIGNAL */
  dtype_e   dtype;

  assign writes  = element_q[StageWrite];
  assign psum_o  = dst_q[writes.bank].psum;
  assign dtype   = dst_q[writes.bank].dtype;
  assign advance = ~writes.valid | (psum_o ? psum_gnt_i : sbuf_gnt_i);
  assign we_o    = writes.valid & advance;
  assign row_o   = writes.offset[OffsetBits-1:2];
  assign be_o    = row_pkg::element_enable(dtype_size(dtype), writes.offset[1:0]);
  assign wmask_o = mask_q[writes.bank];
  assign done_o  = we_o & writes.last;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      NeverMoreThanBanks: assert (started_q <= 2'(Banks));
      PopNeedsElement: assert (a_pop_o -> a_valid_i);
      StatusKnown: assert (!$isunknown({done_o, a_pop_o, we_o}));
      WriteKnown: assert (we_o -> !$isunknown({psum_o, row_o, be_o, wmask_o}));
    end
  end
  `endif

endmodule
