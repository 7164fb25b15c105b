// The path between an elementwise engine and the memories. It accepts instructions, sets them up and starts
// them in order; it reads their operands and immediates and hands out one element per lane, cycle and
// operand. Those reads and the engine's writes use its row ports.
//
// An instruction sees every result of those before it. Within one instruction, results are written while
// later elements have not been read yet; the sequencer refuses a destination if it overlaps a source so that
// this would matter (operand_overlap_pkg).
module elementwise_front
  import core_pkg::*;
  import row_port_pkg::*;
  import elementwise_pkg::*;
#(
  parameter type control_t = logic,              // control of the engine for an instruction's elements
  parameter int unsigned IssueLatency     = 60,  // cycles from issue to the first read
  parameter int unsigned DependentLatency = 0,   // cycles from the result that a read depends on to the read
  parameter int unsigned Sources          = 2    // largest number of tensor operands: a, b
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Decoded instructions. busy_o: an accepted one is not completed.
  input  logic      valid_i,
  output logic      ready_o,
  input  operands_t operands_i,
  input  control_t  control_i,
  output logic      busy_o,

  // Start of execution in a bank. done_i: the oldest instruction under way has written its last result.
  output logic      start_o,
  output logic      bank_o,
  output operands_t operands_o,
  output control_t  control_o,
  input  logic      done_i,

  // Elements of the sources: valid_o in this cycle, the row after pop_i. Immediates are indexed by bank.
  output logic [1:0] valid_o,
  input  logic [1:0] pop_i,
  output row_t       a_o,
  output row_t       b_o,
  output row_t       imm0_o [Banks],
  output row_t       imm1_o [Banks],

  // Write of a result in this cycle.
  input  row_write_t write_i,

  // Row ports.
  output row_claim_t sbuf_claim_o,
  input  row_grant_t sbuf_grant_i,
  output row_req_t   sbuf_req_o,
  input  row_t       sbuf_rdata_i,
  output row_claim_t psum_claim_o,
  input  row_grant_t psum_grant_i,
  output row_req_t   psum_req_o,
  input  row_t       psum_rdata_i
);

  // ----------------------------------------------------------------------------------------------------------------- issue
  logic [1:0] source_start, source_ready;
  logic       imm_re, imm_index, imm_gnt;

  elementwise_issue #(
    .control_t       (control_t),
    .IssueLatency    (IssueLatency),
    .DependentLatency(DependentLatency)
  ) u_issue (
    .clk_i,
    .rst_ni,
    .valid_i,
    .ready_o,
    .operands_i,
    .control_i,
    .operands_o,
    .control_o,
    .start_source_o(source_start),
    .source_ready_i(source_ready),
    .start_o,
    .bank_o,
    .done_i,
    .imm_re_o      (imm_re),
    .imm_index_o   (imm_index),
    .imm_gnt_i     (imm_gnt),
    .sbuf_claim_o,
    .psum_claim_o,
    .hold_sbuf_i   (sbuf_grant_i.hold),
    .hold_psum_i   (psum_grant_i.hold),
    .busy_o
  );

  elementwise_immediates u_immediates (
    .clk_i,
    .rst_ni,
    .start_i(start_o),
    .bank_i (bank_o),
    .imm_i  (operands_o.imm),
    .read_i (imm_gnt),
    .index_i(imm_index),
    .sbuf_rdata_i,
    .imm0_o,
    .imm1_o
  );

  // --------------------------------------------------------------------------------------------------------------- sources
  logic [1:0]       source_re, source_psum, source_far, source_gnt;
  row_index_t [1:0] source_row;

  elementwise_source u_source_a (
    .clk_i,
    .rst_ni,
    .start_i      (source_start[0]),
    .operand_i    (operands_o.a),
    .count_i      (operands_o.count),
    .raw_i        (operands_o.raw_a),
    .reads_i      (operands_o.reads_a),
    .reuse_words_i(operands_o.reuse_words),
    .ready_o      (source_ready[0]),
    .re_o         (source_re[0]),
    .psum_o       (source_psum[0]),
    .far_o        (source_far[0]),
    .row_o        (source_row[0]),
    .gnt_i        (source_gnt[0]),
    .sbuf_rdata_i,
    .psum_rdata_i,
    .valid_o      (valid_o[0]),
    .pop_i        (pop_i[0]),
    .value_o      (a_o)
  );

  if (Sources == 2) begin : g_source_b
    elementwise_source u_source_b (
      .clk_i,
      .rst_ni,
      .start_i      (source_start[1]),
      .operand_i    (operands_o.b),
      .count_i      (operands_o.b_count),
      .raw_i        (operands_o.raw_b),
      .reads_i      (1'b1),
      .reuse_words_i(operands_o.reuse_words),
      .ready_o      (source_ready[1]),
      .re_o         (source_re[1]),
      .psum_o       (source_psum[1]),
      .far_o        (source_far[1]),
      .row_o        (source_row[1]),
      .gnt_i        (source_gnt[1]),
      .sbuf_rdata_i,
      .psum_rdata_i,
      .valid_o      (valid_o[1]),
      .pop_i        (pop_i[1]),
      .value_o      (b_o)
    );
  end else begin : g_no_source_b
    /* verilator lint_off UNUSEDSIGNAL */
    logic unused_b;
    assign unused_b = source_gnt[1] | pop_i[1];
    /* verilator lint_on UNUSEDSIGNAL */
    assign {source_ready[1], source_re[1], source_psum[1], source_far[1], valid_o[1]} = '0;
    assign source_row[1] = '0;
    assign b_o = '0;
  end

  // Partitions of the operands that the sources read.
  partitions_t [1:0] source_parts_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      source_parts_q <= '0;
    end else begin
      if (source_start[0]) source_parts_q[0] <= '{first: lane_t'(32'(operands_o.a.first) * Quadrant), count: operands_o.partitions};
      if (source_start[1]) source_parts_q[1] <= '{first: lane_t'(32'(operands_o.b.first) * Quadrant), count: operands_o.partitions};
    end
  end

  // ------------------------------------------------------------------------------------------------------------ row ports
  logic [1:0] sbuf_source_gnt, psum_source_gnt;
  logic       unused_imm_gnt, sbuf_re, psum_re;
  row_index_t sbuf_row;

  elementwise_read_port u_sbuf_reads (
    .clk_i,
    .rst_ni,
    .gnt_i       (sbuf_grant_i.granted),
    .source_re_i (source_re & ~source_psum),
    .source_far_i(source_far),
    .source_gnt_o(sbuf_source_gnt),
    .imm_re_i    (imm_re),
    .imm_gnt_o   (imm_gnt),
    .re_o        (sbuf_re)
  );

  elementwise_read_port u_psum_reads (
    .clk_i,
    .rst_ni,
    .gnt_i       (psum_grant_i.granted),
    .source_re_i (source_re & source_psum),
    .source_far_i(source_far),
    .source_gnt_o(psum_source_gnt),
    .imm_re_i    (1'b0),
    .imm_gnt_o   (unused_imm_gnt),
    .re_o        (psum_re)
  );

  /* verilator lint_off UNUSEDSIGNAL */  // only elementwise_immediates uses the other fields
  immediate_t imm;
  /* verilator lint_on UNUSEDSIGNAL */
  assign imm        = imm_index ? operands_o.imm[1] : operands_o.imm[0];
  assign source_gnt = sbuf_source_gnt | psum_source_gnt;
  assign sbuf_row   = imm_gnt ? row_index_t'(imm.row) : sbuf_source_gnt[1] ? source_row[1] : source_row[0];
  assign sbuf_req_o = '{
    rparts: imm_gnt ? '{first: lane_t'(32'(imm.first) * Quadrant), count: operands_o.partitions}
                    : sbuf_source_gnt[1] ? source_parts_q[1] : source_parts_q[0],
    re: sbuf_re, raddr: sbuf_row, we: write_i.we & ~write_i.psum, waddr: write_i.row, be: write_i.be
  };
  assign psum_req_o = '{
    rparts: psum_source_gnt[1] ? source_parts_q[1] : source_parts_q[0],
    re: psum_re, raddr: psum_source_gnt[1] ? source_row[1] : source_row[0],
    we: write_i.we & write_i.psum, waddr: write_i.row, be: write_i.be
  };

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      StartsWithA: assert ((Sources == 1) -> (source_start == {1'b0, start_o}));
      SbufOnlyGranted: assert ((sbuf_req_o.re || sbuf_req_o.we) -> (sbuf_claim_o.needs && sbuf_grant_i.granted));
      PsumOnlyGranted: assert ((psum_req_o.re || psum_req_o.we) -> (psum_claim_o.needs && psum_grant_i.granted));
      SbufKnown: assert (!$isunknown({sbuf_claim_o, sbuf_req_o.re, sbuf_req_o.we}));
      PsumKnown: assert (!$isunknown({psum_claim_o, psum_req_o.re, psum_req_o.we}));
      AddressKnown: assert (!write_i.we || !$isunknown({write_i.psum, write_i.row, write_i.be}));
    end
  end
  `endif

endmodule
