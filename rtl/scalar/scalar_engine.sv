// The Scalar engine: activation functions, scale and bias on SBUF and PSUM operands, one element per lane and cycle.
//
// elementwise_front takes instructions, starts their streams and reads the operand ahead of scalar_execute, which computes and writes.
module scalar_engine
  import isa_pkg::*;
  import core_pkg::*;
  import row_port_pkg::*;
  import scalar_table_pkg::*;
(
  // Clock of this engine. It is needed while busy_o, instr_valid_i or sr_seed_valid_i.
  input  logic clk_i,
  input  logic rst_ni,

  // Instructions, checked by the sequencer; reject_o says in the same cycle why this one cannot run.
  input  logic         instr_valid_i,
  input  logic [511:0] instr_i,
  output logic         instr_ready_o,
  output error_e       reject_o,

  // done_o: a pulse when the oldest accepted instruction has completed. busy_o: an accepted instruction has
  // not completed.
  output logic done_o,
  output logic busy_o,

  // The previous cycle wrote a NaN; its instruction is the oldest one.
  output logic nan_o,

  // Not ErrorNone after an instruction has failed, which does not complete.
  output error_e fault_o,

  // Tables: a request to load them, held until its answer comes, and the loaded words, on a clock of their
  // own.
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
  import scalar_pkg::*;

  // ----------------------------------------------------------------------------------------------------------------- tables
  // A table set is loaded when everything before it has completed; meanwhile nothing is accepted.
  activation_set_e set_q;
  /* verilator lint_off UNUSEDSIGNAL */  // the sequencer has used the other fields
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

  // ------------------------------------------------------------------------------------------------ operands and elements
  operands_t  decoded_operands, operands;  // decoded: the instruction in the cycle of its acceptance
  scalar_op_t decoded_control, control;
  logic       start, bank, execute_done, done_q;
  logic       element_pop, unused_b_valid, element_valid;
  row_t       a_value, unused_b, imm0 [Banks], imm1 [Banks];
  row_write_t write;

  always_comb begin
    decoded_operands = '0;
    decoded_control  = '0;
    if (issue_valid && issue_ready) begin
      decoded_operands = decode_scalar_operands(instr_i);
      decoded_control  = scalar_pkg::decode(instr_i, sr_enable_i);
    end
  end

  elementwise_front #(
    .control_t       (scalar_op_t),
    .IssueLatency    (cfg_pkg::ScalarIssueLatency),
    .DependentLatency(cfg_pkg::ScalarDependentLatency),
    .Sources         (1)
  ) u_front (
    .clk_i,
    .rst_ni,
    .valid_i   (issue_valid),
    .ready_o   (issue_ready),
    .operands_i(decoded_operands),
    .control_i (decoded_control),
    .busy_o    (issue_busy),
    .start_o   (start),
    .bank_o    (bank),
    .operands_o(operands),
    .control_o (control),
    .done_i    (execute_done),
    .valid_o   ({unused_b_valid, element_valid}),
    .pop_i     ({1'b0, element_pop}),
    .a_o       (a_value),
    .b_o       (unused_b),
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
    else         done_q <= execute_done | (load_done & ~table_error_i);
  end

  assign done_o = done_q;
  assign busy_o = issue_busy | loading_q | done_q;

  // ------------------------------------------------------------------------------------------------------------- execution
  scalar_execute u_execute (
    .clk_i,
    .rst_ni,
    .start_i     (start),
    .bank_i      (bank),
    .operands_i  (operands),
    .control_i   (control),
    .done_o      (execute_done),
    .a_valid_i   (element_valid),
    .a_i         (a_value),
    .a_pop_o     (element_pop),
    .imm0_i      (imm0),
    .imm1_i      (imm1),
    .table_clk_i,
    .table_we_i,
    .table_beat_i,
    .seed_valid_i(sr_seed_valid_i),
    .seed_i      (sr_seed_i),
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
      LoadIsAlone: assert (!(issue_busy && loading_q));
      StatusKnown: assert (!$isunknown({instr_ready_o, done_o, busy_o}));
    end
  end
  `endif

endmodule
