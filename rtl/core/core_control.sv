// The parts on the bus clock: the control block with its sequencers, the ports of the core window, and the
// loader of activation tables.
module core_control
  import cfg_pkg::*;
  import core_pkg::*;
  import isa_pkg::*;
#(
  localparam int unsigned WindowPorts = AxiPorts + 1  // beside the ports of the bus; the last one is for the sequencers' own accesses
) (
  input  logic clk_i,  // bus clock
  input  logic rst_ni,
  output logic active_o,  // high if this block needs its clock
  input  logic [63:0] timestamp_i,  // see neuron_core

  // AXI4 subordinate ports onto the core window, in the bus clock domain
  input  logic [AxiPorts-1:0]    s_aw_valid_i,
  output logic [AxiPorts-1:0]    s_aw_ready_o,
  input  logic [25:0]            s_aw_addr_i [AxiPorts],
  input  logic [AxiPorts-1:0]    s_w_valid_i, s_w_last_i,
  output logic [AxiPorts-1:0]    s_w_ready_o,
  input  beat_t [AxiPorts-1:0]   s_w_data_i,
  input  strobe_t [AxiPorts-1:0] s_w_strobe_i,
  output logic [AxiPorts-1:0]    s_b_valid_o,
  input  logic [AxiPorts-1:0]    s_b_ready_i,
  output logic [1:0]             s_b_resp_o [AxiPorts],
  input  logic [AxiPorts-1:0]    s_ar_valid_i,
  output logic [AxiPorts-1:0]    s_ar_ready_o,
  input  logic [25:0]            s_ar_addr_i [AxiPorts],
  input  logic [7:0]             s_ar_len_i [AxiPorts],
  output logic [AxiPorts-1:0]    s_r_valid_o, s_r_last_o,
  input  logic [AxiPorts-1:0]    s_r_ready_i,
  output logic [1:0]             s_r_resp_o [AxiPorts],
  output beat_t [AxiPorts-1:0]   s_r_data_o,

  // AXI4 manager port: instruction fetch, writes of 32 and 128 bits
  output logic         m_ar_valid_o,
  input  logic         m_ar_ready_i,
  output logic [2:0]   m_ar_id_o,
  output logic [2:0]   m_ar_len_o,
  output logic [63:0]  m_ar_addr_o,
  input  logic         m_r_valid_i,
  output logic         m_r_ready_o,
  input  logic [2:0]   m_r_id_i,
  input  logic [1:0]   m_r_resp_i,
  input  logic         m_r_last_i,
  input  logic [511:0] m_r_data_i,
  output logic         m_aw_valid_o,
  input  logic         m_aw_ready_i,
  output logic [2:0]   m_aw_id_o,
  output logic [2:0]   m_aw_size_o,
  output logic [63:0]  m_aw_addr_o,
  output logic         m_w_valid_o,
  input  logic         m_w_ready_i,
  output logic [127:0] m_w_data_o,
  input  logic         m_b_valid_i,
  output logic         m_b_ready_o,
  input  logic [2:0]   m_b_id_i,
  input  logic [1:0]   m_b_resp_i,

  // AXI4 manager port, reads only: tables of activation functions
  output logic         t_ar_valid_o,
  input  logic         t_ar_ready_i,
  output logic [2:0]   t_ar_len_o,
  output logic [63:0]  t_ar_addr_o,
  input  logic         t_r_valid_i,
  output logic         t_r_ready_o,
  input  logic [1:0]   t_r_resp_i,
  input  scalar_table_pkg::table_beat_t t_r_data_i,

  // Verification, see neuron_core
  input  logic [Engines-1:0] hold_issue_i,
  input  logic [Engines-1:0] hold_done_i,
  input  logic [1:0]         hold_arbiter_i,

  // Engines, see control
  output logic [Engines-1:0][511:0] dispatch_instr_o,
  output logic [Engines-1:0]        dispatch_valid_o,
  input  logic [Engines-1:0]        dispatch_ready_i,
  input  error_e [Engines-1:0]      reject_i,
  input  error_e [Engines-1:0]      engine_fault_i,
  input  logic [Engines-1:0][31:0]  engine_fault_address_i,
  input  logic [Engines-1:0]        done_i,
  input  logic [Engines-1:0]        busy_i,
  input  logic [Engines-1:0]             nan_i,
  input  core_pkg::number_t [Engines-1:0] nan_number_i,
  output counter_e                  counter_o,
  input  logic [63:0]               counter_i,
  output logic                      counters_clear_o,
  output logic                      sr_enable_o,
  output logic                      sr_seed_valid_o,
  output logic [31:0]               sr_seed_o,

  // Tables of the Scalar engine, see table_loader
  input  logic                          table_request_i,
  input  logic [63:0]                   table_address_i,
  input  logic [15:0]                   table_beats_i,
  output logic                          table_done_o,
  output logic                          table_error_o,
  output logic                          table_we_o,
  output scalar_table_pkg::table_beat_t table_beat_o,

  // Memories: beats of the ports, the first wrong access, counts, upsets
  output logic [WindowPorts-1:0]    rd_req_o,
  input  logic [WindowPorts-1:0]    rd_gnt_i,
  output bus_pkg::target_t          rd_target_o [WindowPorts],
  input  beat_t [WindowPorts-1:0]   sbuf_beat_i,
  input  beat_t [WindowPorts-1:0]   psum_beat_i,
  output logic [WindowPorts-1:0]    wr_req_o,
  input  logic [WindowPorts-1:0]    wr_gnt_i,
  output bus_pkg::target_t          wr_target_o [WindowPorts],
  output beat_t [WindowPorts-1:0]   wr_data_o,
  output strobe_t [WindowPorts-1:0] wr_strobe_o,
  /* verilator lint_off UNUSEDSIGNAL */  // its place comes as an address
  input  memory_pkg::fault_t        memory_fault_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [25:0]               memory_fault_address_i,
  input  logic [memory_pkg::Counts-1:0][31:0] memory_counts_i,
  output logic                      upset_o,
  output logic [25:0]               upset_address_o,
  output logic [5:0]                upset_first_bit_o,
  output logic [5:0]                upset_second_bit_o,
  input  logic                      upset_ready_i,

  // GpSimd: beats for the memories of its cores, see gpsimd_window; the cores' program counters and states while it is awake
  output logic                      tcm_request_o,
  output logic                      tcm_write_o,
  output bus_pkg::target_t          tcm_target_o,
  output beat_t                     tcm_wdata_o,
  output strobe_t                   tcm_strobe_o,
  input  logic                      tcm_done_i,
  input  beat_t                     tcm_rdata_i,
  input  logic                      gpsimd_awake_i,
  input  logic [GpsimdCores-1:0][31:0]    gpsimd_pc_i,
  input  gpsimd_state_e [GpsimdCores-1:0] gpsimd_state_i,

  // Observation; pulses last one bus cycle
  output logic                      error_o,
  output seq_state_e [Engines-1:0]  state_o,
  output logic [Engines-1:0]        issued_o,
  output logic [Engines-1:0][31:0]  issue_pc_o,
  output logic [Engines-1:0]        completed_o
);

  // ------------------------------------------------------------------------------------------------- ports of the core window
  logic        sys_valid, sys_ready, sys_we, sys_error, sys_own, ports_busy;
  logic [25:0] sys_addr, own_addr;
  logic [31:0] sys_wdata, sys_rdata, own_wdata, own_rdata;
  logic [$clog2(WindowPorts)-1:0] sys_port;
  logic        own_aw_valid, own_aw_ready, own_w_valid, own_w_ready, own_b_valid, own_ar_valid, own_ar_ready, own_r_valid;
  logic [1:0]  own_b_resp, own_r_resp;

  // Registers hold these inputs, so that nothing is computed twice for an input that is 0.
  logic [Engines-1:0] hold_issue_q, hold_done_q;
  logic [1:0]         hold_arbiter_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {hold_issue_q, hold_done_q, hold_arbiter_q} <= '0;
    else {hold_issue_q, hold_done_q, hold_arbiter_q} <= {hold_issue_i, hold_done_i, hold_arbiter_i};
  end

  logic [WindowPorts-1:0]  tcm_rd_gnt, tcm_wr_gnt;
  beat_t [WindowPorts-1:0] tcm_beat;

  window_ports #(.AxiPorts(AxiPorts)) u_ports (
    .clk_i, .rst_ni, .hold_i(hold_arbiter_q[0]),
    .s_aw_valid_i, .s_aw_ready_o, .s_aw_addr_i, .s_w_valid_i, .s_w_ready_o, .s_w_last_i, .s_w_data_i, .s_w_strobe_i,
    .s_b_valid_o, .s_b_ready_i, .s_b_resp_o, .s_ar_valid_i, .s_ar_ready_o, .s_ar_addr_i, .s_ar_len_i,
    .s_r_valid_o, .s_r_ready_i, .s_r_last_o, .s_r_resp_o, .s_r_data_o,
    .own_addr_i(own_addr), .own_aw_valid_i(own_aw_valid), .own_aw_ready_o(own_aw_ready), .own_w_valid_i(own_w_valid),
    .own_w_ready_o(own_w_ready), .own_w_data_i(own_wdata), .own_b_valid_o(own_b_valid), .own_b_resp_o(own_b_resp),
    .own_ar_valid_i(own_ar_valid), .own_ar_ready_o(own_ar_ready), .own_r_valid_o(own_r_valid), .own_r_resp_o(own_r_resp),
    .own_r_data_o(own_rdata),
    .rd_req_o, .rd_gnt_i(rd_gnt_i | tcm_rd_gnt), .rd_target_o, .sbuf_beat_i, .psum_beat_i, .tcm_beat_i(tcm_beat),
    .wr_req_o, .wr_gnt_i(wr_gnt_i | tcm_wr_gnt), .wr_target_o, .wr_data_o, .wr_strobe_o,
    .sys_valid_o(sys_valid), .sys_ready_i(sys_ready), .sys_we_o(sys_we), .sys_addr_o(sys_addr), .sys_wdata_o(sys_wdata),
    .sys_port_o(sys_port), .sys_own_o(sys_own), .sys_rdata_i(sys_rdata), .sys_error_i(sys_error), .busy_o(ports_busy)
  );

  gpsimd_window #(.Ports(WindowPorts)) u_gpsimd_window (
    .clk_i, .rst_ni, .hold_i(hold_arbiter_q[0]), .rd_req_i(rd_req_o), .rd_gnt_o(tcm_rd_gnt), .rd_target_i(rd_target_o), .rdata_o(tcm_beat),
    .wr_req_i(wr_req_o), .wr_gnt_o(tcm_wr_gnt), .wr_target_i(wr_target_o), .wr_data_i(wr_data_o), .wr_strobe_i(wr_strobe_o),
    .request_o(tcm_request_o), .write_o(tcm_write_o), .target_o(tcm_target_o), .wdata_o(tcm_wdata_o), .strobe_o(tcm_strobe_o),
    .done_i(tcm_done_i), .rdata_i(tcm_rdata_i)
  );

  // Copies for readers, so that nothing in this clock domain follows the cores at every edge of their clock.
  // They have the values from before the last edge.
  logic                             gpsimd_awake_q, gpsimd_seen_clk;
  logic [GpsimdCores-1:0][31:0]     gpsimd_pc_q;
  gpsimd_state_e [GpsimdCores-1:0]  gpsimd_state_q;
  clock_gate u_gpsimd_seen_gate (.clk_i, .en_i(gpsimd_awake_i | gpsimd_awake_q), .clk_o(gpsimd_seen_clk));
  always_ff @(posedge gpsimd_seen_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      gpsimd_awake_q <= 1'b0;
      gpsimd_pc_q    <= '0;
      gpsimd_state_q <= '0;
    end else begin
      gpsimd_awake_q <= gpsimd_awake_i;
      gpsimd_pc_q    <= gpsimd_pc_i;
      gpsimd_state_q <= gpsimd_state_i;
    end
  end

  // ------------------------------------------------------------------------------------------------------------ control block
  logic control_idle;
  logic [Engines-1:0]       issued, completed;
  logic [Engines-1:0][31:0] issue_pc;

  control u_control (
    .clk_i, .rst_ni, .timestamp_i,
    .sys_valid_i(sys_valid), .sys_ready_o(sys_ready), .sys_we_i(sys_we), .sys_addr_i(sys_addr),
    .sys_wdata_i(sys_wdata), .sys_rdata_o(sys_rdata), .sys_error_o(sys_error), .sys_own_i(sys_own), .sys_port_i(4'(sys_port)),
    .m_ar_valid_o, .m_ar_ready_i, .m_ar_id_o, .m_ar_len_o, .m_ar_addr_o,
    .m_r_valid_i, .m_r_ready_o, .m_r_id_i, .m_r_resp_i, .m_r_last_i, .m_r_data_i,
    .m_aw_valid_o, .m_aw_ready_i, .m_aw_id_o, .m_aw_size_o, .m_aw_addr_o, .m_w_valid_o, .m_w_ready_i, .m_w_data_o,
    .m_b_valid_i, .m_b_ready_o, .m_b_id_i, .m_b_resp_i,
    .w_addr_o(own_addr), .w_aw_valid_o(own_aw_valid), .w_aw_ready_i(own_aw_ready), .w_w_valid_o(own_w_valid),
    .w_w_ready_i(own_w_ready), .w_w_data_o(own_wdata), .w_b_valid_i(own_b_valid), .w_b_resp_i(own_b_resp),
    .w_ar_valid_o(own_ar_valid), .w_ar_ready_i(own_ar_ready), .w_r_valid_i(own_r_valid), .w_r_resp_i(own_r_resp),
    .w_r_data_i(own_rdata),
    .dispatch_instr_o, .dispatch_valid_o, .dispatch_ready_i, .reject_i, .done_i, .engine_fault_i, .engine_fault_address_i, .engine_busy_i(busy_i),
    .hold_issue_i(hold_issue_q), .hold_done_i(hold_done_q), .hold_semaphores_i(hold_arbiter_q[1]),
    .nan_i, .nan_number_i, .counter_o, .counter_i, .counters_clear_o, .sr_enable_o, .sr_seed_valid_o, .sr_seed_o,
    .memory_fault_valid_i(memory_fault_i.valid), .memory_fault_code_i(memory_fault_i.code),
    .memory_fault_master_i(memory_fault_i.master), .memory_fault_tag_i(memory_fault_i.tag), .memory_fault_address_i, .memory_counts_i,
    .upset_o, .upset_address_o, .upset_first_bit_o, .upset_second_bit_o, .upset_ready_i,
    .gpsimd_pc_i(gpsimd_pc_q), .gpsimd_state_i(gpsimd_state_q), .state_o, .issued_o(issued), .issue_pc_o(issue_pc), .completed_o(completed), .error_o, .idle_o(control_idle)
  );

  // Registers hold the pulses, so that they can be observed after the edge.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      issued_o    <= '0;
      completed_o <= '0;
      issue_pc_o  <= '0;
    end else begin
      issued_o    <= issued;
      completed_o <= completed;
      if (|issued) issue_pc_o <= issue_pc;
    end
  end

  // --------------------------------------------------------------------------------------------------- loader of the tables
  logic loader_active;

  table_loader u_table_loader (
    .clk_i, .rst_ni, .request_i(table_request_i), .address_i(table_address_i), .beats_i(table_beats_i),
    .done_o(table_done_o), .error_o(table_error_o),
    .ar_valid_o(t_ar_valid_o), .ar_ready_i(t_ar_ready_i), .ar_len_o(t_ar_len_o), .ar_addr_o(t_ar_addr_o),
    .r_valid_i(t_r_valid_i), .r_ready_o(t_r_ready_o), .r_resp_i(t_r_resp_i), .r_data_i(t_r_data_i),
    .table_we_o, .table_beat_o, .active_o(loader_active)
  );

  assign active_o = !control_idle | ports_busy | loader_active | (|{s_aw_valid_i, s_w_valid_i, s_ar_valid_i}) | m_r_valid_i | m_b_valid_i |
                    (m_ar_valid_o & m_ar_ready_i) | (m_aw_valid_o & m_aw_ready_i) | (m_w_valid_o & m_w_ready_i) |
                    (|{issued_o, completed_o});

endmodule
