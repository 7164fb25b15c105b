// Takes elements from the sources, sends them through the lanes and, where an operation says so, through another unit, and
// writes the results, in order.
//
// Elements move through the stages together. Those of an operation with a unit of its own leave no result in the lanes: the unit
// takes them beside the second stage of the lanes and holds results out, which the result stage takes as soon as the writes of
// the operations before are done. Elements wait while their results would overtake, while the unit is not ready, and while the
// result at the end waits for its memory port.
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

  // Seed of the generators for stochastic rounding.
  input  logic        seed_valid_i,
  input  logic [31:0] seed_i,

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
  mask_t      mask_q [Banks], lanes_in_use_q [Banks];  // partitions of the destination; the lanes that write to them

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      op_q[bank_i]   <= op_i;
      mask_q[bank_i] <= row_pkg::partition_mask(op_i.dst.first, op_i.dst_partitions);
      lanes_in_use_q[bank_i] <= row_pkg::partition_mask(2'd0, op_i.dst_partitions);
    end
  end

  // ------------------------------------------------------------------------------------ elements enter the pipeline
  logic       advance, pop;
  logic       load, next_bank, bank;
  logic       running, due, last, group_first, group_last;
  logic       value, needs_a, needs_b;
  logic [1:0] phase;

  assign needs_a = ~value;
  assign needs_b = op_q[bank].uses_b & (value | ~op_q[bank].values_first);
  assign pop     = due & advance & (a_valid_i | ~needs_a) & (b_valid_i | ~needs_b);
  assign a_pop_o = pop & needs_a;
  assign b_pop_o = pop & needs_b;

  vector_bank_queue u_elements (
    .clk_i,
    .rst_ni,
    .start_i,
    .free_i(~running | (pop & last)),
    .load_o(load),
    .next_o(next_bank),
    .bank_o(bank)
  );

  vector_sequence u_sequence (
    .clk_i,
    .rst_ni,
    .load_i       (load),
    .count_i      (op_q[next_bank].count),
    .group_axes_i (op_q[next_bank].group_axes),
    .pace_i       (op_q[next_bank].pace),
    .values_i     (op_q[next_bank].values_first ? op_q[next_bank].b_count[0][3:0] : '0),
    .running_o    (running),
    .due_o        (due),
    .last_o       (last),
    .group_first_o(group_first),
    .group_last_o (group_last),
    .phase_o      (phase),
    .value_o      (value),
    .pop_i        (pop),
    .advance_i    (advance)
  );

  // ---------------------------------------------------------------------------------------------------------------- stages
  typedef struct packed {
    logic valid;
    logic bank;
    logic write;
  } made_t;

  slot_t converted_q, first_q;  // where an element has got to
  made_t second_q;
  logic  writes;

  assign writes = (op_q[bank].unit == UnitLanes) & (group_last | ~op_q[bank].write_groups);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      converted_q <= '0;
      first_q     <= '0;
      second_q    <= '0;
    end else if (advance) begin
      converted_q <= '{valid: pop, bank: bank, first: group_first, last: group_last, write: writes, phase: phase,
                       value: value};
      first_q     <= converted_q;
      second_q    <= '{valid: first_q.valid, bank: first_q.bank, write: first_q.write};
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

  row_t  x, y;
  row_t  imm1 [Banks];
  mask_t lanes_mask;

  vector_lanes u_lanes (
    .clk_i,
    .rst_ni,
    .fill_i             (start_i),
    .fill_bank_i        (bank_i),
    .fill_imm_i         (op_i.imm),
    .imm_arrives_i      (imm_arrives_q),
    .imm_bank_i         (imm_bank_q),
    .imm_index_i        (imm_index_q),
    .imm_first_i        (imm_first_q),
    .sbuf_rdata_i,
    .first_i            (advance & converted_q.valid),
    .first_bank_i       (converted_q.bank),
    .first_begins_i     (converted_q.first),
    .first_value_i      (converted_q.value),
    .first_stage_i      (op_q[converted_q.bank].first_stage),
    .a_i,
    .b_i,
    .second_i           (advance & first_q.valid & (op_q[first_q.bank].unit == UnitLanes)),
    .second_bank_i      (first_q.bank),
    .second_begins_i    (first_q.first),
    .second_ends_i      (first_q.last),
    .second_stage_i     (op_q[first_q.bank].second_stage),
    .second_partitions_i(op_q[first_q.bank].partitions),
    .x_o                (x),
    .y_o                (y),
    .mask_o             (lanes_mask),
    .imm1_o             (imm1)
  );

  // ----------------------------------------------------------------------------------------------------------------- units
  logic  unit_ready, unit_valid, unit_take;
  logic  result_bank;  // of the operation whose results come next
  unit_e result_unit;
  row_t  unit_result;
  mask_t unit_mask;

  vector_units u_units (
    .clk_i,
    .rst_ni,
    .element_i       (advance & first_q.valid),
    .unit_i          (op_q[first_q.bank].unit),
    .special_i       (op_q[first_q.bank].special),
    .value_i         (first_q.value),
    .first_i         (first_q.first),
    .last_i          (first_q.last),
    .phase_i         (first_q.phase),
    .raw_i           (op_q[first_q.bank].raw_a),
    .dtype_i         (op_q[first_q.bank].a.dtype),
    .partitions_i    (op_q[first_q.bank].partitions),
    .entries_i       (op_q[first_q.bank].entries),
    .immediate_i     (imm1[first_q.bank]),
    .x_i             (x),
    .ready_o         (unit_ready),
    .result_unit_i   (result_unit),
    .result_special_i(op_q[result_bank].special),
    .valid_o         (unit_valid),
    .result_o        (unit_result),
    .mask_o          (unit_mask),
    .take_i          (unit_take)
  );

  // --------------------------------------------------------------------------------------------------------------- results
  logic    result_load, result_next_bank;
  logic    due_results, result_last;
  offset_t result_offset;
  logic    free, lanes_take, take;
  logic    written, no_dst;

  assign result_unit = op_q[result_bank].unit;
  assign unit_take   = free & due_results & unit_valid;
  assign lanes_take  = free & second_q.valid & second_q.write & due_results & (second_q.bank == result_bank);
  assign take        = unit_take | lanes_take;
  assign advance     = free & (lanes_take | ~(second_q.valid & second_q.write)) & (unit_ready | ~first_q.valid);

  vector_bank_queue u_results (
    .clk_i,
    .rst_ni,
    .start_i,
    .free_i(~due_results | (take & result_last)),
    .load_o(result_load),
    .next_o(result_next_bank),
    .bank_o(result_bank)
  );

  ap_iterator #(
    .AddrBits(OffsetBits)
  ) u_iterator (
    .clk_i,
    .rst_ni,
    .load_i   (result_load),
    .count_i  (op_q[result_next_bank].dst_count),
    .step_i   (op_q[result_next_bank].dst.step),
    .size_i   (dtype_size(op_q[result_next_bank].dst.dtype)),
    .start_i  (op_q[result_next_bank].dst.offset),
    .valid_o  (due_results),
    .addr_o   (result_offset),
    .last_o   (result_last),
    .advance_i(take)
  );

  rounding_unit #(
    .Stream(16'(EngineVector))
  ) u_rounding (
    .clk_i,
    .rst_ni,
    .seed_valid_i,
    .seed_i,
    .valid_i     (take),
    .raw_i       (op_q[result_bank].raw),
    .stochastic_i(op_q[result_bank].stochastic),
    .dtype_i     (op_q[result_bank].dst.dtype),
    .in_use_i    (lanes_in_use_q[result_bank]),
    .value_i     (unit_take ? unit_result : y),
    .first_i     (op_q[result_bank].dst.first),
    .row_o       (wdata_o)
  );

  // ----------------------------------------------------------------------------------------------------------------- write
  typedef struct packed {
    logic    valid;
    logic    bank;
    logic    last;
    offset_t offset;
  } write_t;

  write_t write_q;
  mask_t  wmask_q;
  dtype_e dtype;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)   write_q <= '0;
    else if (free) write_q <= '{valid: take, bank: result_bank, last: result_last, offset: result_offset};
  end

  // Lanes that have a result: those of the destination's partitions, fewer under a predicate or as the unit says.
  mask_t result_mask;
  assign result_mask = unit_take                                    ? unit_mask
                     : op_q[result_bank].second_stage.predicate ? lanes_mask : '1;

  always_ff @(posedge clk_i) begin
    if (take) wmask_q <= mask_q[result_bank] & row_pkg::lanes_to_partitions(result_mask, op_q[result_bank].dst.first);
  end

  assign psum_o  = op_q[write_q.bank].dst.psum;
  assign dtype   = op_q[write_q.bank].dst.dtype;
  assign no_dst  = op_q[write_q.bank].no_dst;
  assign written = no_dst | (psum_o ? psum_gnt_i : sbuf_gnt_i);
  assign free    = ~write_q.valid | written;
  assign we_o    = write_q.valid & written & ~no_dst;
  assign row_o   = write_q.offset[OffsetBits-1:2];
  assign be_o    = row_pkg::element_enable(dtype_size(dtype), write_q.offset[1:0]);
  assign wmask_o = wmask_q;
  assign done_o  = write_q.valid & written & write_q.last;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      PopNeedsA: assert (a_pop_o -> a_valid_i);
      PopNeedsB: assert (b_pop_o -> b_valid_i);
      OneResult: assert (!(unit_take && lanes_take));
      StatusKnown: assert (!$isunknown({done_o, a_pop_o, b_pop_o, we_o}));
      WriteKnown: assert (we_o -> !$isunknown({psum_o, row_o, be_o, wmask_o}));
    end
  end
  `endif

endmodule
