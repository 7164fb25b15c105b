// The block that hands instructions to three cores, and the checks that refuse instructions.
module gpsimd_dispatch_tb
  import gpsimd_engine_pkg::*;
  import gpsimd_pkg::*;
  import isa_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              instr_valid_i,
  input  logic [511:0]      instr_i,
  output logic [4:0]        reject_o,
  output logic              instr_ready_o,
  output logic              done_o,
  output logic              busy_o,
  output logic [4:0]        fault_o,
  output logic [31:0]       fault_address_o,

  output cores_t            run_o,
  output cores_t            irq_o,
  output logic [31:0]       boot_o,
  input  cores_t            halted_i,
  input  cores_t            waiting_i,
  input  cores_t            trapped_i,
  input  logic [2:0][31:0]  pc_i,
  output logic [2:0][1:0]   state_o,

  output logic              tcm_active_o,
  output cores_t            tcm_req_o,
  output logic              tcm_write_o,
  output tcm_beat_t         tcm_beat_o,
  output beat_t             tcm_wdata_o,
  output strobe_t           tcm_strobe_o,
  input  cores_t            tcm_gnt_i,
  input  cores_t            tcm_rvalid_i,
  input  beat_t [2:0]       tcm_rdata_i,

  // Sets the number of the last request, because it would take long to count up to its end.
  input  logic              set_i,
  input  logic [31:0]       request_i
);

  error_e                    fault, reject;
  gpsimd_state_e [Cores-1:0] state;
  assign reject   = check(instr_i);
  assign reject_o = reject;
  assign fault_o  = fault;
  assign state_o  = state;

  always_ff @(posedge clk_i) if (set_i) u_dispatch.request_q <= request_i;

  gpsimd_dispatch #(.IssueLatency(24)) u_dispatch (
    .clk_i, .rst_ni, .instr_valid_i, .instr_i, .instr_ready_o, .done_o, .busy_o, .fault_o(fault), .fault_address_o, .run_o, .irq_o,
    .boot_o, .halted_i, .waiting_i, .trapped_i, .pc_i, .state_o(state), .tcm_active_o, .tcm_req_o, .tcm_write_o, .tcm_beat_o,
    .tcm_wdata_o, .tcm_strobe_o, .tcm_gnt_i, .tcm_rvalid_i, .tcm_rdata_i
  );

endmodule
