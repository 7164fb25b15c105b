// The GpSimd engine: the cores, gpsimd_dispatch, which hands them commands, gpsimd_slices, which connects
// them to SBUF, and gpsimd_access, which connects the bus to their memories. See docs/gpsimd.md.
module gpsimd_engine
  import gpsimd_engine_pkg::*;
  import gpsimd_pkg::*;
  import isa_pkg::*;
  import row_port_pkg::*;
(
  // Clock of this engine. It is needed while busy_o, wake_o or instr_valid_i.
  input  logic clk_i,
  input  logic rst_ni,

  // Instructions; reject_o says in the same cycle why this one cannot run.
  input  logic         instr_valid_i,
  input  logic [511:0] instr_i,
  output logic         instr_ready_o,
  output error_e       reject_o,

  // done_o: a pulse when the oldest accepted instruction has completed. busy_o: an accepted instruction has
  // not completed. wake_o: cores or accesses from outside need the clock.
  output logic         done_o,
  output logic         busy_o,
  output logic         wake_o,
  output error_e       fault_o,          // see gpsimd_dispatch
  output logic [31:0]  fault_address_o,

  // A beat of the bus for a core's memory, see gpsimd_access
  input  logic              window_request_i,
  input  logic              window_write_i,
  input  bus_pkg::target_t  window_target_i,
  input  core_pkg::beat_t   window_wdata_i,
  input  core_pkg::strobe_t window_strobe_i,
  output logic              window_done_o,
  output core_pkg::beat_t   window_rdata_o,

  // SBUF: the port shared with Vector; words of each core's partitions
  output row_claim_t             sbuf_claim_o,
  input  row_grant_t             sbuf_grant_i,
  output slice_req_t [Cores-1:0] sbuf_req_o,
  input  beat_t [Cores-1:0]      sbuf_rdata_i,
  output beat_t [Cores-1:0]      sbuf_wdata_o,
  output strobe_t [Cores-1:0]    sbuf_wstrobe_o,

  // Registers
  output logic [Cores-1:0][31:0]    pc_o,
  output gpsimd_state_e [Cores-1:0] state_o
);

  cores_t                  run, irq, halted, waiting, trapped;
  logic [31:0]             boot;
  logic                    own_active, own_write, dispatch_busy, slices_active, cores_active, access_pending, ready;
  cores_t                  own_req, own_gnt, own_rvalid, window_req, window_write, window_gnt, window_rvalid;
  tcm_beat_t               own_beat;
  beat_t                   own_wdata;
  strobe_t                 own_strobe;
  tcm_beat_t [Cores-1:0]   window_beat;
  beat_t [Cores-1:0]       window_wdata, window_rdata;
  strobe_t [Cores-1:0]     window_strobe;
  cores_t                  read_valid, write_valid, rvalid;
  slice_beat_t [Cores-1:0] read_beat, write_beat;

  assign reject_o = check(instr_i);

  gpsimd_dispatch #(.IssueLatency(cfg_pkg::GpsimdIssueLatency)) u_dispatch (
    .clk_i, .rst_ni, .instr_valid_i, .instr_i, .instr_ready_o, .done_o, .busy_o(dispatch_busy), .fault_o, .fault_address_o,
    .run_o(run), .irq_o(irq), .boot_o(boot), .halted_i(halted), .waiting_i(waiting), .trapped_i(trapped), .pc_i(pc_o), .state_o,
    .tcm_active_o(own_active), .tcm_req_o(own_req), .tcm_write_o(own_write), .tcm_beat_o(own_beat), .tcm_wdata_o(own_wdata),
    .tcm_strobe_o(own_strobe), .tcm_gnt_i(own_gnt), .tcm_rvalid_i(own_rvalid), .tcm_rdata_i(window_rdata)
  );

  gpsimd_access u_access (
    .clk_i, .rst_ni, .request_i(window_request_i), .write_i(window_write_i), .target_i(window_target_i), .wdata_i(window_wdata_i),
    .strobe_i(window_strobe_i), .done_o(window_done_o), .rdata_o(window_rdata_o), .pending_o(access_pending),
    .own_active_i(own_active), .own_req_i(own_req), .own_write_i(own_write), .own_beat_i(own_beat), .own_wdata_i(own_wdata),
    .own_strobe_i(own_strobe), .own_gnt_o(own_gnt), .own_rvalid_o(own_rvalid),
    .window_req_o(window_req), .window_write_o(window_write), .window_beat_o(window_beat), .window_wdata_o(window_wdata),
    .window_strobe_o(window_strobe), .window_gnt_i(window_gnt), .window_rvalid_i(window_rvalid), .window_rdata_i(window_rdata)
  );

  gpsimd_slices u_slices (
    .clk_i, .rst_ni, .read_valid_i(read_valid), .write_valid_i(write_valid), .read_beat_i(read_beat), .write_beat_i(write_beat),
    .ready_o(ready), .rvalid_o(rvalid), .claim_o(sbuf_claim_o), .grant_i(sbuf_grant_i), .req_o(sbuf_req_o), .active_o(slices_active)
  );

  gpsimd_cores #(.Cores(Cores)) u_cores (
    .clk_i, .rst_ni, .run_i(run), .irq_i(irq), .boot_i(boot), .halted_o(halted), .waiting_o(waiting), .trapped_o(trapped), .pc_o,
    .window_req_i(window_req), .window_write_i(window_write), .window_beat_i(window_beat), .window_wdata_i(window_wdata),
    .window_strobe_i(window_strobe), .window_gnt_o(window_gnt), .window_rvalid_o(window_rvalid), .window_rdata_o(window_rdata),
    .read_valid_o(read_valid), .write_valid_o(write_valid), .read_beat_o(read_beat), .write_beat_o(write_beat),
    .write_wdata_o(sbuf_wdata_o), .write_strobe_o(sbuf_wstrobe_o), .read_ready_i({Cores{ready}}), .read_rvalid_i(rvalid),
    .write_ready_i({Cores{ready}}), .read_rdata_i(sbuf_rdata_i), .active_o(cores_active)
  );

  assign busy_o = dispatch_busy | slices_active;
  assign wake_o = access_pending | cores_active;

  if (TcmBytes != WindowGpsimdTcmStride) begin : g_window
    $error("a core's memory fills its place in the core window");
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      StatusKnown: assert (!$isunknown({instr_ready_o, done_o, busy_o, wake_o}));
    end
  end
  `endif

endmodule
