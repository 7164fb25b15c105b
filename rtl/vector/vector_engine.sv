// The Vector engine: elementwise instructions on SBUF and PSUM operands, one element per lane and cycle.
//
// vector_issue takes instructions and starts their streams; two vector_sources read the operands a and b ahead of
// vector_execute, which computes and writes.
//
// An instruction sees every result of those before it. Within one instruction results are written while later elements are still
// to be read; the sequencer refuses a destination that overlaps a source so that this would show (operand_overlap_pkg).
module vector_engine
  import isa_pkg::*;
  import core_pkg::*;
  import row_port_pkg::*;
(
  // Clock of this engine, needed while busy_o or instr_valid_i.
  input  logic clk_i,
  input  logic rst_ni,

  // Instructions, checked by the sequencer; reject_o says why this one cannot run, in the same cycle.
  input  logic         instr_valid_i,
  input  logic [511:0] instr_i,
  output logic         instr_ready_o,
  output error_e       reject_o,

  // Stochastic rounding: whether instructions that follow the core's control do it; seed of its generators, for which the clock has
  // to run.
  input  logic        sr_enable_i,
  input  logic        sr_seed_valid_i,
  input  logic [31:0] sr_seed_i,

  // Pulse: the oldest accepted instruction has completed. Any accepted instruction not completed.
  output logic done_o,
  output logic busy_o,

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

  // The shuffle mask as the next instruction will find it.
  logic [Quadrant-1:0][7:0] entries_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) entries_q <= '1;
    else if (instr_valid_i && instr_ready_o && opcode_e'(instr_i[7:0]) == OpLoadShuffleMask) begin
      entries_q <= vector_decode_pkg::mask_entries(instr_i);
    end
  end

  assign reject_o = vector_check_pkg::check(instr_i, entries_q);

  // ----------------------------------------------------------------------------------------------------------------- issue
  vector_op_t op;
  logic [1:0] source_start, source_ready;
  logic       start, bank, imm_re, imm_index, imm_gnt, done_d, done_q, busy;

  vector_issue u_issue (
    .clk_i,
    .rst_ni,
    .instr_valid_i,
    .instr_i,
    .instr_ready_o,
    .sr_enable_i,
    .op_o          (op),
    .start_source_o(source_start),
    .source_ready_i(source_ready),
    .start_o       (start),
    .bank_o        (bank),
    .done_i        (done_d),
    .imm_re_o      (imm_re),
    .imm_index_o   (imm_index),
    .imm_gnt_i     (imm_gnt),
    .needs_sbuf_o  (sbuf_claim_o.needs),
    .uses_sbuf_o   (sbuf_claim_o.uses),
    .hold_sbuf_i   (sbuf_grant_i.hold),
    .needs_psum_o  (psum_claim_o.needs),
    .uses_psum_o   (psum_claim_o.uses),
    .hold_psum_i   (psum_grant_i.hold),
    .busy_o        (busy)
  );

  // The clock runs on until the pulse is over.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= 1'b0;
    else         done_q <= done_d;
  end

  assign done_o = done_q;
  assign busy_o = busy | done_q;

  // --------------------------------------------------------------------------------------------------------------- sources
  logic [1:0]       source_re, source_psum, source_gnt, source_valid, source_pop;
  row_index_t [1:0] source_row;
  row_t             a_value, b_value;

  vector_source u_source_a (
    .clk_i,
    .rst_ni,
    .start_i      (source_start[0]),
    .operand_i    (op.a),
    .count_i      (op.count),
    .raw_i        (op.raw_a),
    .reads_i      (op.reads_a),
    .reuse_words_i(op.reuse_words),
    .ready_o      (source_ready[0]),
    .re_o         (source_re[0]),
    .psum_o       (source_psum[0]),
    .row_o        (source_row[0]),
    .gnt_i        (source_gnt[0]),
    .sbuf_rdata_i,
    .psum_rdata_i,
    .valid_o      (source_valid[0]),
    .pop_i        (source_pop[0]),
    .value_o      (a_value)
  );

  vector_source u_source_b (
    .clk_i,
    .rst_ni,
    .start_i      (source_start[1]),
    .operand_i    (op.b),
    .count_i      (op.b_count),
    .raw_i        (op.raw_b),
    .reads_i      (1'b1),
    .reuse_words_i(op.reuse_words),
    .ready_o      (source_ready[1]),
    .re_o         (source_re[1]),
    .psum_o       (source_psum[1]),
    .row_o        (source_row[1]),
    .gnt_i        (source_gnt[1]),
    .sbuf_rdata_i,
    .psum_rdata_i,
    .valid_o      (source_valid[1]),
    .pop_i        (source_pop[1]),
    .value_o      (b_value)
  );

  // ------------------------------------------------------------------------------------------------------------ read ports
  logic [1:0] sbuf_source_gnt, psum_source_gnt;
  logic       unused_imm_gnt, sbuf_re, psum_re;

  vector_read_port u_sbuf_reads (
    .clk_i,
    .rst_ni,
    .gnt_i       (sbuf_grant_i.granted),
    .source_re_i (source_re & ~source_psum),
    .source_gnt_o(sbuf_source_gnt),
    .imm_re_i    (imm_re),
    .imm_gnt_o   (imm_gnt),
    .re_o        (sbuf_re)
  );

  vector_read_port u_psum_reads (
    .clk_i,
    .rst_ni,
    .gnt_i       (psum_grant_i.granted),
    .source_re_i (source_re & source_psum),
    .source_gnt_o(psum_source_gnt),
    .imm_re_i    (1'b0),
    .imm_gnt_o   (unused_imm_gnt),
    .re_o        (psum_re)
  );

  row_index_t sbuf_row, psum_row;
  assign source_gnt = sbuf_source_gnt | psum_source_gnt;
  assign sbuf_row   = imm_gnt ? row_index_t'(op.imm[imm_index].row) : source_row[sbuf_source_gnt[1]];
  assign psum_row   = source_row[psum_source_gnt[1]];

  // ------------------------------------------------------------------------------------------------------------- execution
  logic       we, psum_write;
  row_index_t write_row;
  logic [3:0] be;

  vector_execute u_execute (
    .clk_i,
    .rst_ni,
    .start_i    (start),
    .bank_i     (bank),
    .op_i       (op),
    .done_o     (done_d),
    .seed_valid_i(sr_seed_valid_i),
    .seed_i     (sr_seed_i),
    .imm_read_i (imm_gnt),
    .imm_index_i(imm_index),
    .sbuf_rdata_i,
    .a_valid_i  (source_valid[0]),
    .a_i        (a_value),
    .a_pop_o    (source_pop[0]),
    .b_valid_i  (source_valid[1]),
    .b_i        (b_value),
    .b_pop_o    (source_pop[1]),
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
  assign psum_req_o = '{re: psum_re, raddr: psum_row, we: we & psum_write, waddr: write_row, be: be};

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      AcceptedIsImplemented: assert ((instr_valid_i && instr_ready_o) -> reject_o == ErrorNone);
      SbufOnlyGranted: assert ((sbuf_req_o.re || sbuf_req_o.we) -> (sbuf_claim_o.needs && sbuf_grant_i.granted));
      PsumOnlyGranted: assert ((psum_req_o.re || psum_req_o.we) -> (psum_claim_o.needs && psum_grant_i.granted));
      StatusKnown: assert (!$isunknown({instr_ready_o, done_o, busy_o}));
      SbufKnown: assert (!$isunknown({sbuf_claim_o, sbuf_req_o.re, sbuf_req_o.we}));
      PsumKnown: assert (!$isunknown({psum_claim_o, psum_req_o.re, psum_req_o.we}));
    end
  end
  `endif

endmodule
