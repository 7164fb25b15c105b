// The Vector engine: elementwise instructions on SBUF and PSUM operands, one element per lane and cycle.
//
// elementwise_front takes instructions, starts their streams and reads the operands a and b ahead of vector_execute, which
// computes and writes.
module vector_engine
  import isa_pkg::*;
  import core_pkg::*;
  import row_port_pkg::*;
(
  // Clock of this engine. It is needed while busy_o or instr_valid_i.
  input  logic clk_i,
  input  logic rst_ni,

  // Instructions, checked by the sequencer; reject_o says in the same cycle why this one cannot run.
  input  logic         instr_valid_i,
  input  logic [511:0] instr_i,
  output logic         instr_ready_o,
  output error_e       reject_o,

  // Stochastic rounding: the core's default, for instructions that follow it; a seed of the engine's
  // generators, which needs the clock.
  input  logic        sr_enable_i,
  input  logic        sr_seed_valid_i,
  input  logic [31:0] sr_seed_i,

  // done_o: a pulse when the oldest accepted instruction has completed. busy_o: an accepted instruction has
  // not completed.
  output logic done_o,
  output logic busy_o,

  // The previous cycle wrote a NaN; its instruction is the oldest one.
  output logic nan_o,

  // Row ports of SBUF and PSUM, which share write data and mask.
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

  import elementwise_pkg::*;
  import vector_pkg::*;

  // The shuffle mask that the next instruction will find.
  logic [Quadrant-1:0][7:0] entries_q;

  logic loads_mask, mask_clk;
  assign loads_mask = instr_valid_i & instr_ready_o & (opcode_e'(instr_i[7:0]) == OpLoadShuffleMask);
  clock_gate u_mask_gate (.clk_i, .en_i(loads_mask), .clk_o(mask_clk));

  always_ff @(posedge mask_clk or negedge rst_ni) begin
    if (!rst_ni) entries_q <= '1;
    else         entries_q <= vector_decode_pkg::mask_entries(instr_i);
  end

  assign reject_o = vector_check_pkg::check(instr_i, entries_q);

  // ------------------------------------------------------------------------------------------------ operands and elements
  vector_op_t      decoded;  // the instruction in the cycle of its acceptance
  operands_t       operands;
  vector_control_t control;
  logic            start, bank, done_d, done_q, busy;
  logic [1:0]      element_valid, element_pop;
  row_t            a_value, b_value, imm0 [Banks], imm1 [Banks];
  row_write_t      write;

  always_comb begin
    decoded = '0;
    if (instr_valid_i && instr_ready_o) decoded = vector_decode_pkg::decode(instr_i, sr_enable_i);
  end

  elementwise_front #(
    .control_t       (vector_control_t),
    .IssueLatency    (cfg_pkg::VectorIssueLatency),
    .DependentLatency(cfg_pkg::VectorDependentLatency)
  ) u_front (
    .clk_i,
    .rst_ni,
    .valid_i   (instr_valid_i),
    .ready_o   (instr_ready_o),
    .operands_i(decoded.operands),
    .control_i (decoded.control),
    .busy_o    (busy),
    .start_o   (start),
    .bank_o    (bank),
    .operands_o(operands),
    .control_o (control),
    .done_i    (done_d),
    .valid_o   (element_valid),
    .pop_i     (element_pop),
    .a_o       (a_value),
    .b_o       (b_value),
    .imm0_o    (imm0),
    .imm1_o    (imm1),
    .write_i   (write),
    .sbuf_claim_o,
    .sbuf_grant_i,
    .sbuf_req_o,
    .sbuf_rdata_i,
    .psum_claim_o,
    .psum_grant_i,
    .psum_req_o,
    .psum_rdata_i
  );

  // The clock runs until the pulse is over.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= 1'b0;
    else         done_q <= done_d;
  end

  assign done_o = done_q;
  assign busy_o = busy | done_q;

  // ------------------------------------------------------------------------------------------------------------- execution
  vector_execute u_execute (
    .clk_i,
    .rst_ni,
    .start_i     (start),
    .bank_i      (bank),
    .operands_i  (operands),
    .control_i   (control),
    .done_o      (done_d),
    .seed_valid_i(sr_seed_valid_i),
    .seed_i      (sr_seed_i),
    .a_valid_i   (element_valid[0]),
    .a_i         (a_value),
    .a_pop_o     (element_pop[0]),
    .b_valid_i   (element_valid[1]),
    .b_i         (b_value),
    .b_pop_o     (element_pop[1]),
    .imm0_i      (imm0),
    .imm1_i      (imm1),
    .write_o     (write),
    .wdata_o,
    .wmask_o,
    .nan_o,
    .sbuf_gnt_i  (sbuf_grant_i.granted),
    .psum_gnt_i  (psum_grant_i.granted)
  );

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      AcceptedIsImplemented: assert ((instr_valid_i && instr_ready_o) -> reject_o == ErrorNone);
      StatusKnown: assert (!$isunknown({instr_ready_o, done_o, busy_o}));
    end
  end
  handshake_properties #(.Bits(512)) u_instr_properties (
    .clk_i, .rst_ni, .valid_i(instr_valid_i), .taken_i(instr_ready_o), .data_i(instr_i)
  );
  `endif

endmodule
