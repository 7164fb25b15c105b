// The Scalar engine: activation functions, scale and bias on SBUF and PSUM operands, one element per lane and cycle.
//
// Instructions are accepted, set up and ordered by the blocks of the Vector engine, as Vector instructions with the same operands;
// what the pipeline does with the elements waits in a queue of its own until the stream starts.
module scalar_engine
  import isa_pkg::*;
  import core_pkg::*;
  import row_port_pkg::*;
  import scalar_table_pkg::*;
(
  // Clock of this engine, needed while busy_o, instr_valid_i or sr_seed_valid_i.
  input  logic clk_i,
  input  logic rst_ni,

  // Instructions, checked by the sequencer; reject_o says why this one cannot run, in the same cycle.
  input  logic         instr_valid_i,
  input  logic [511:0] instr_i,
  output logic         instr_ready_o,
  output error_e       reject_o,

  // Pulse: the oldest accepted instruction has completed. Any accepted instruction not completed.
  output logic done_o,
  output logic busy_o,

  // Other than none from the moment on in which an instruction has failed, which does not complete.
  output error_e fault_o,

  // Tables: a request to load them, held until its answer is there, and what is loaded, on a clock of its own.
  output logic        table_request_o,
  output logic [63:0] table_address_o,
  output logic [15:0] table_beats_o,
  input  logic        table_done_i,
  input  logic        table_error_i,
  input  logic        table_clk_i,
  input  logic        table_we_i,
  input  table_beat_t table_beat_i,

  // Stochastic rounding: the core's default, and a seed for the engine's generators.
  input  logic        sr_enable_i,
  input  logic        sr_seed_valid_i,
  input  logic [31:0] sr_seed_i,

  // Row ports of SBUF and PSUM; write data and mask are those of both.
  output row_claim_t sbuf_claim_o,
  input  row_grant_t sbuf_grant_i,
  output row_req_t   sbuf_req_o,
  input  row_t       sbuf_rdata_i,
  output row_claim_t psum_claim_o,
  input  row_grant_t psum_grant_i,
  output row_req_t   psum_req_o,
  input  row_t       psum_rdata_i,
  output row_t       wdata_o,
  output mask_t      wmask_o
);

  import vector_pkg::*;
  import scalar_pkg::*;

  // ----------------------------------------------------------------------------------------------------------------- tables
  // A table set is loaded when everything before it has completed; meanwhile nothing is accepted.
  activation_set_e set_q;
  /* verilator lint_off UNUSEDSIGNAL */  // what the sequencer has not used up
  table_load_t     table_load;
  /* verilator lint_on UNUSEDSIGNAL */
  logic            is_load, load_accept, loading_q, load_done;
  logic            issue_valid, issue_ready, issue_busy;

  assign table_load    = instr_i;
  assign is_load       = table_load.opcode == OpActTableLoad;
  assign issue_valid   = instr_valid_i & ~is_load & ~loading_q;
  assign instr_ready_o = ~loading_q & (is_load ? ~issue_busy : issue_ready);
  assign load_accept   = instr_valid_i & instr_ready_o & is_load;
  assign load_done     = table_request_o & table_done_i;
  assign reject_o      = scalar_check_pkg::check(instr_i, set_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      set_q           <= ActivationSetNone;
      loading_q       <= 1'b0;
      table_request_o <= 1'b0;
      fault_o         <= ErrorNone;
    end else begin
      if (load_accept) set_q <= table_load.table_set;
      // The next load waits until the answer to this one has gone.
      loading_q       <= load_accept | (loading_q & (table_request_o | table_done_i));
      table_request_o <= load_accept | (table_request_o & ~table_done_i);
      if (load_done & table_error_i) fault_o <= ErrorActivationTable;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_accept) begin
      table_address_o <= table_load.table_address;
      table_beats_o   <= table_load.table_beats;
    end
  end

  // ----------------------------------------------------------------------------------------------------------------- issue
  localparam int unsigned SetupDepth = cfg_pkg::ScalarIssueLatency / MinInterval + 1;
  localparam int unsigned SlotBits = SetupDepth > 1 ? $clog2(SetupDepth) : 1;
  typedef logic [SlotBits-1:0] setup_slot_t;

  vector_op_t op;
  scalar_op_t queue_q [SetupDepth];
  setup_slot_t head_q, tail_q;
  logic [1:0] source_start;
  logic       source_ready, start, bank, imm_re, imm_index, imm_gnt, execute_done, done_q;

  function automatic setup_slot_t next_slot(setup_slot_t slot);
    return int'(slot) == SetupDepth - 1 ? '0 : slot + setup_slot_t'(1);
  endfunction

  vector_issue #(
    .IssueLatency(cfg_pkg::ScalarIssueLatency)
  ) u_issue (
    .clk_i,
    .rst_ni,
    .instr_valid_i (issue_valid),
    .instr_i       (as_vector(instr_i)),
    .instr_ready_o (issue_ready),
    .sr_enable_i,
    .op_o          (op),
    .start_source_o(source_start),
    .source_ready_i({1'b0, source_ready}),
    .start_o       (start),
    .bank_o        (bank),
    .done_i        (execute_done),
    .imm_re_o      (imm_re),
    .imm_index_o   (imm_index),
    .imm_gnt_i     (imm_gnt),
    .needs_sbuf_o  (sbuf_claim_o.needs),
    .uses_sbuf_o   (sbuf_claim_o.uses),
    .hold_sbuf_i   (sbuf_grant_i.hold),
    .needs_psum_o  (psum_claim_o.needs),
    .uses_psum_o   (psum_claim_o.uses),
    .hold_psum_i   (psum_grant_i.hold),
    .busy_o        (issue_busy)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      done_q <= 1'b0;
    end else begin
      if (issue_valid & issue_ready) tail_q <= next_slot(tail_q);
      if (start) head_q <= next_slot(head_q);
      done_q <= execute_done | (load_done & ~table_error_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (issue_valid & issue_ready) queue_q[tail_q] <= scalar_pkg::decode(instr_i, sr_enable_i);
  end

  // The clock runs on until the pulse is over.
  assign done_o = done_q;
  assign busy_o = issue_busy | loading_q | done_q;

  // ---------------------------------------------------------------------------------------------------- source, read ports
  logic       source_re, source_psum, source_valid, source_pop;
  row_index_t source_row;
  row_t       a_value;
  /* verilator lint_off UNUSEDSIGNAL */  // there is no operand b
  logic [1:0] sbuf_source_gnt, psum_source_gnt;
  /* verilator lint_on UNUSEDSIGNAL */
  logic       unused_imm_gnt, sbuf_re, psum_re;

  vector_source u_source (
    .clk_i,
    .rst_ni,
    .start_i      (source_start[0]),
    .operand_i    (op.a),
    .count_i      (op.count),
    .raw_i        (1'b0),
    .reads_i      (op.reads_a),
    .reuse_words_i(1'b1),
    .ready_o      (source_ready),
    .re_o         (source_re),
    .psum_o       (source_psum),
    .row_o        (source_row),
    .gnt_i        (sbuf_source_gnt[0] | psum_source_gnt[0]),
    .sbuf_rdata_i,
    .psum_rdata_i,
    .valid_o      (source_valid),
    .pop_i        (source_pop),
    .value_o      (a_value)
  );

  vector_read_port u_sbuf_reads (
    .clk_i,
    .rst_ni,
    .gnt_i       (sbuf_grant_i.granted),
    .source_re_i ({1'b0, source_re & ~source_psum}),
    .source_gnt_o(sbuf_source_gnt),
    .imm_re_i    (imm_re),
    .imm_gnt_o   (imm_gnt),
    .re_o        (sbuf_re)
  );

  vector_read_port u_psum_reads (
    .clk_i,
    .rst_ni,
    .gnt_i       (psum_grant_i.granted),
    .source_re_i ({1'b0, source_re & source_psum}),
    .source_gnt_o(psum_source_gnt),
    .imm_re_i    (1'b0),
    .imm_gnt_o   (unused_imm_gnt),
    .re_o        (psum_re)
  );

  row_index_t sbuf_row;
  assign sbuf_row = imm_gnt ? row_index_t'(op.imm[imm_index].row) : source_row;

  // ------------------------------------------------------------------------------------------------------------- execution
  logic       we, psum_write;
  row_index_t write_row;
  logic [3:0] be;

  scalar_execute u_execute (
    .clk_i,
    .rst_ni,
    .start_i    (start),
    .bank_i     (bank),
    .op_i       (op),
    .scalar_op_i(queue_q[head_q]),
    .done_o     (execute_done),
    .imm_read_i (imm_gnt),
    .imm_index_i(imm_index),
    .sbuf_rdata_i,
    .a_valid_i  (source_valid),
    .a_i        (a_value),
    .a_pop_o    (source_pop),
    .table_clk_i,
    .table_we_i,
    .table_beat_i,
    .seed_valid_i(sr_seed_valid_i),
    .seed_i      (sr_seed_i),
    .we_o       (we),
    .psum_o     (psum_write),
    .row_o      (write_row),
    .wdata_o,
    .be_o       (be),
    .wmask_o,
    .sbuf_gnt_i (sbuf_grant_i.granted),
    .psum_gnt_i (psum_grant_i.granted)
  );

  assign sbuf_req_o = '{re: sbuf_re, raddr: sbuf_row, we: we & ~psum_write, waddr: write_row, be: be};
  assign psum_req_o = '{re: psum_re, raddr: source_row, we: we & psum_write, waddr: write_row, be: be};

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      AcceptedIsImplemented: assert ((instr_valid_i && instr_ready_o) -> reject_o == ErrorNone);
      StartIsOneOperand: assert (source_start == {1'b0, start});
      LoadIsAlone: assert (!(issue_busy && loading_q));
      SbufOnlyGranted: assert ((sbuf_req_o.re || sbuf_req_o.we) -> (sbuf_claim_o.needs && sbuf_grant_i.granted));
      PsumOnlyGranted: assert ((psum_req_o.re || psum_req_o.we) -> (psum_claim_o.needs && psum_grant_i.granted));
      StatusKnown: assert (!$isunknown({instr_ready_o, done_o, busy_o}));
      SbufKnown: assert (!$isunknown({sbuf_claim_o, sbuf_req_o.re, sbuf_req_o.we}));
      PsumKnown: assert (!$isunknown({psum_claim_o, psum_req_o.re, psum_req_o.we}));
    end
  end
  `endif

endmodule
