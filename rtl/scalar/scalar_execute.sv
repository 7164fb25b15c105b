// Takes elements from the source, sends them through the lanes and writes the results, in order.
//
// All stages move together; they stand still only while the result at the end waits for its memory port.
module scalar_execute
  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
  import scalar_pkg::*;
  import scalar_table_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Operations in the order of their start; done_o: the oldest one has written its last element.
  input  logic       start_i,
  input  logic       bank_i,
  /* verilator lint_off UNUSEDSIGNAL */  // only shape and destination are used
  input  operands_t  operands_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  scalar_op_t control_i,
  output logic       done_o,

  // Elements of the source: valid in this cycle, the row comes after pop_o.
  input  logic a_valid_i,
  input  row_t a_i,
  output logic a_pop_o,
  input  row_t imm0_i [Banks],
  input  row_t imm1_i [Banks],

  // Tables: words to write, on a clock of their own, while no element is under way.
  input  logic        table_clk_i,
  input  logic        table_we_i,
  input  table_beat_t table_beat_i,

  // Seeds the generators of stochastic rounding.
  input  logic        seed_valid_i,
  input  logic [31:0] seed_i,

  // Write of a result in this cycle.
  output row_write_t write_o,
  output row_t       wdata_o,
  output mask_t      wmask_o,
  output logic       nan_o,  // the previous cycle wrote a NaN
  input  logic       sbuf_gnt_i,
  input  logic       psum_gnt_i
);

  // -------------------------------------------------------------------------------------------------- operations under way
  scalar_op_t op_q [Banks];
  operand_t   dst_q [Banks];
  count_t     count_q [Banks];
  logic       far_q [Banks];  // results lie far apart
  mask_t      lanes_q [Banks], mask_q [Banks];

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      op_q[bank_i]    <= control_i;
      dst_q[bank_i]   <= operands_i.dst;
      count_q[bank_i] <= operands_i.count;
      far_q[bank_i]   <= steps_far(operands_i.dst, operands_i.count);
      lanes_q[bank_i] <= row_pkg::partition_mask(2'd0, operands_i.partitions);
      mask_q[bank_i]  <= row_pkg::partition_mask(operands_i.dst.first, operands_i.partitions);
    end
  end

  // ----------------------------------------------------------------------------------------- elements enter the pipeline
  logic          advance, load, running, last, first_q;
  logic          bank, next_bank;  // banks of the elements popped now, and of the next operation
  element_slot_t slot_q;
  offset_t       offset;

  assign a_pop_o = running & advance & a_valid_i;

  elementwise_bank_queue u_operations (
    .clk_i,
    .rst_ni,
    .start_i,
    .free_i(~running | (a_pop_o & last)),
    .load_o(load),
    .next_o(next_bank),
    .bank_o(bank)
  );

  ap_iterator #(
    .AddrBits(OffsetBits)
  ) u_iterator (
    .clk_i,
    .rst_ni,
    .load_i   (load),
    .count_i  (count_q[next_bank]),
    .step_i   (dst_q[next_bank].step),
    .size_i   (dtype_size(dst_q[next_bank].dtype)),
    .start_i  (dst_q[next_bank].offset),
    .valid_o  (running),
    .addr_o   (offset),
    .last_o   (last),
    .advance_i(a_pop_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= 1'b0;
      slot_q  <= '0;
    end else begin
      slot_q  <= slot_q + element_slot_t'(a_pop_o);
      first_q <= load | (first_q & ~a_pop_o);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------- stages
  element_t [Stages-1:0] element_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      element_q <= '0;
    end else if (advance) begin
      element_q <= {element_q[Stages-2:0],
                    element_t'{valid: a_pop_o, bank: bank, first: first_q, last: last, slot: slot_q, offset: offset}};
    end
  end

  scalar_lanes u_lanes (
    .clk_i,
    .rst_ni,
    .advance_i    (advance),
    .element_i    (element_q),
    .op_i         (op_q),
    .lanes_i      (lanes_q),
    .dst_i        (dst_q),
    .value_i      (a_i),
    .imm0_i,
    .imm1_i,
    .table_clk_i,
    .table_we_i,
    .table_beat_i,
    .seed_valid_i,
    .seed_i,
    .row_o        (wdata_o)
  );

  // ----------------------------------------------------------------------------------------------------------------- write
  /* verilator lint_off UNUSEDSIGNAL */  // the slot is no longer used
  element_t writes;
  /* verilator lint_on UNUSEDSIGNAL */
  logic     taken;

  assign writes = element_q[StageWrite];

  elementwise_write u_write (
    .clk_i,
    .rst_ni,
    .valid_i (writes.valid),
    .psum_i  (dst_q[writes.bank].psum),
    .far_i   (far_q[writes.bank]),
    .dtype_i (dst_q[writes.bank].dtype),
    .offset_i(writes.offset),
    .no_dst_i(1'b0),
    .taken_o (taken),
    .row_i   (wdata_o),
    .mask_i  (wmask_o),
    .nan_o,
    .sbuf_gnt_i,
    .psum_gnt_i,
    .write_o
  );

  assign advance = ~writes.valid | taken;
  assign wmask_o = mask_q[writes.bank];
  assign done_o  = taken & writes.last;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      PopNeedsElement: assert (a_pop_o -> a_valid_i);
      StatusKnown: assert (!$isunknown({done_o, a_pop_o, write_o.we}));
      WriteKnown: assert (write_o.we -> !$isunknown({write_o, wmask_o}));
    end
  end
  `endif

endmodule
