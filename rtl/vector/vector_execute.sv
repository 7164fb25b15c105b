// Takes elements from the sources, sends them through the lanes and, if an operation says so, through another
// unit, and writes the results, in order.
//
// Elements of an operation with its own unit leave no result in the lanes. The unit takes them at the second
// stage of the lanes and holds its results until the result stage takes them, as soon as the writes of
// earlier operations are done. Elements wait while their results would overtake others, while the unit is not
// ready, and while the result at the end waits for its memory port.
module vector_execute
  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
  import vector_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Operations in the order of their start; done_o: the oldest one has written its last element.
  input  logic            start_i,
  input  logic            bank_i,
  input  operands_t       operands_i,
  input  vector_control_t control_i,
  output logic            done_o,

  // Seed of the generators for stochastic rounding.
  input  logic        seed_valid_i,
  input  logic [31:0] seed_i,

  // Elements of the sources: valid in this cycle, the row comes after pop_o.
  input  logic a_valid_i,
  input  row_t a_i,
  output logic a_pop_o,
  input  logic b_valid_i,
  input  row_t b_i,
  output logic b_pop_o,
  input  row_t imm0_i [Banks],
  input  row_t imm1_i [Banks],

  // Write of a result in this cycle.
  output row_write_t write_o,
  output row_t       wdata_o,
  output mask_t      wmask_o,
  output logic       nan_o,  // the previous cycle wrote a NaN
  input  logic       sbuf_gnt_i,
  input  logic       psum_gnt_i
);

  // -------------------------------------------------------------------------------------------------- operations under way
  vector_op_t op_q [Banks];
  logic       far_q [Banks];  // results lie far apart
  mask_t      mask_q [Banks], lanes_in_use_q [Banks];  // partitions of the destination; the lanes that write to them

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      op_q[bank_i]   <= '{operands: operands_i, control: control_i};
      far_q[bank_i]  <= steps_far(operands_i.dst, operands_i.dst_count);
      mask_q[bank_i] <= row_pkg::partition_mask(operands_i.dst.first, operands_i.dst_partitions);
      lanes_in_use_q[bank_i] <= row_pkg::partition_mask(2'd0, operands_i.dst_partitions);
    end
  end

  // ------------------------------------------------------------------------------------ elements enter the pipeline
  logic pop, ready;  // the element at the end of the sources moves on
  logic load, next_bank, bank;
  logic running, last, group_first, group_last;
  logic value, needs_a, needs_b;

  assign needs_a = ~value;
  assign needs_b = op_q[bank].operands.uses_b & (value | ~op_q[bank].control.values_first);
  assign pop     = running & ready & (a_valid_i | ~needs_a) & (b_valid_i | ~needs_b);
  assign a_pop_o = pop & needs_a;
  assign b_pop_o = pop & needs_b;

  elementwise_bank_queue u_elements (
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
    .count_i      (op_q[next_bank].operands.count),
    .group_axes_i (op_q[next_bank].control.group_axes),
    .values_i     (op_q[next_bank].control.values_first ? op_q[next_bank].operands.b_count[0][3:0] : '0),
    .running_o    (running),
    .last_o       (last),
    .group_first_o(group_first),
    .group_last_o (group_last),
    .value_o      (value),
    .pop_i        (pop)
  );

  // ----------------------------------------------------------------------------------------------------------------- lanes
  /* verilator lint_off UNUSEDSIGNAL */  // only the lanes use the other fields
  slot_t element_q, first, second;  // element in the first stage, after the first, after the second
  /* verilator lint_on UNUSEDSIGNAL */
  logic  writes, moves, through;    // the element writes a result; after a stage: moves on
  logic  unit_ready;
  row_t  x, y;
  mask_t lanes_mask;

  assign writes = (op_q[bank].control.unit == UnitLanes) & (group_last | ~op_q[bank].control.write_groups);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      element_q <= '0;
    end else if (ready) begin
      element_q <= '{valid: pop, bank: bank, first: group_first, last: group_last, write: writes, value: value};
    end
  end

  vector_lanes u_lanes (
    .clk_i,
    .rst_ni,
    .element_i     (element_q),
    .first_stage_i (op_q[element_q.bank].control.first_stage),
    .a_i,
    .b_i,
    .imm0_i,
    .ready_o       (ready),
    .first_o       (first),
    .x_o           (x),
    .unit_i        (op_q[first.bank].control.unit != UnitLanes),
    .unit_ready_i  (unit_ready),
    .second_stage_i(op_q[first.bank].control.second_stage),
    .imm1_i,
    .moves_o       (moves),
    .second_o      (second),
    .y_o           (y),
    .mask_o        (lanes_mask),
    .take_i        (through),
    .accumulate_i  (op_q[second.bank].control.second_stage.acc),
    .partitions_i  (op_q[second.bank].operands.partitions)
  );

  // ----------------------------------------------------------------------------------------------------------------- units
  logic  unit_valid, unit_take;
  logic  result_bank;  // bank of the operation with the next results
  unit_e result_unit;
  row_t  unit_result;
  mask_t unit_mask;

  vector_units u_units (
    .clk_i,
    .rst_ni,
    .element_i       (moves),
    .unit_i          (op_q[first.bank].control.unit),
    .special_i       (op_q[first.bank].control.special),
    .value_i         (first.value),
    .first_i         (first.first),
    .last_i          (first.last),
    .raw_i           (op_q[first.bank].operands.raw_a),
    .dtype_i         (op_q[first.bank].operands.a.dtype),
    .partitions_i    (op_q[first.bank].operands.partitions),
    .entries_i       (op_q[first.bank].control.entries),
    .immediate_i     (imm1_i[first.bank]),
    .x_i             (x),
    .ready_o         (unit_ready),
    .result_unit_i   (result_unit),
    .result_special_i(op_q[result_bank].control.special),
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
  logic    taken;

  assign result_unit = op_q[result_bank].control.unit;
  assign unit_take   = free & due_results & unit_valid;
  assign lanes_take  = free & second.valid & second.write & due_results & (second.bank == result_bank);
  assign take        = unit_take | lanes_take;
  assign through     = second.valid & (lanes_take | ~second.write);

  elementwise_bank_queue u_results (
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
    .count_i  (op_q[result_next_bank].operands.dst_count),
    .step_i   (op_q[result_next_bank].operands.dst.step),
    .size_i   (dtype_size(op_q[result_next_bank].operands.dst.dtype)),
    .start_i  (op_q[result_next_bank].operands.dst.offset),
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
    .raw_i       (op_q[result_bank].control.raw),
    .stochastic_i(op_q[result_bank].control.stochastic),
    .dtype_i     (op_q[result_bank].operands.dst.dtype),
    .in_use_i    (lanes_in_use_q[result_bank]),
    .value_i     ((result_unit != UnitLanes) ? unit_result : y),
    .first_i     (op_q[result_bank].operands.dst.first),
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

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)   write_q <= '0;
    else if (free) write_q <= '{valid: take, bank: result_bank, last: result_last, offset: result_offset};
  end

  // Lanes that have a result: those of the destination's partitions, or fewer with a predicate or if the unit
  // says so.
  mask_t result_mask;
  assign result_mask = (result_unit != UnitLanes)                      ? unit_mask
                     : op_q[result_bank].control.second_stage.predicate ? lanes_mask : '1;

  always_ff @(posedge clk_i) begin
    if (take) wmask_q <= mask_q[result_bank] & row_pkg::lanes_to_partitions(result_mask, op_q[result_bank].operands.dst.first);
  end

  elementwise_write u_write (
    .clk_i,
    .rst_ni,
    .valid_i (write_q.valid),
    .psum_i  (op_q[write_q.bank].operands.dst.psum),
    .far_i   (far_q[write_q.bank]),
    .dtype_i (op_q[write_q.bank].operands.dst.dtype),
    .offset_i(write_q.offset),
    .no_dst_i(op_q[write_q.bank].operands.no_dst),
    .taken_o (taken),
    .row_i   (wdata_o),
    .mask_i  (wmask_o),
    .nan_o,
    .sbuf_gnt_i,
    .psum_gnt_i,
    .write_o
  );

  assign free    = ~write_q.valid | taken;
  assign wmask_o = wmask_q;
  assign done_o  = taken & write_q.last;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      PopNeedsA: assert (a_pop_o -> a_valid_i);
      PopNeedsB: assert (b_pop_o -> b_valid_i);
      OneResult: assert (!(unit_take && lanes_take));
      StatusKnown: assert (!$isunknown({done_o, a_pop_o, b_pop_o, write_o.we}));
      WriteKnown: assert (write_o.we -> !$isunknown({write_o, wmask_o}));
    end
  end
  `endif

endmodule
