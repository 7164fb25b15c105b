// A NeuronCore: control block, engines, SBUF, PSUM, and the bus ports onto them.
//
// clk_i is the core clock; everything runs on gated clocks derived from it (see engine_bridge). The clock generator outside says
// which edges are those of which domain. A signal that comes from a slower domain is looked at here only together with that
// domain's tick.
module neuron_core
  import cfg_pkg::*;
  import core_pkg::*;
  import isa_pkg::*;
  import row_port_pkg::*;
(
  input  logic                          clk_i,
  input  logic                          rst_ni,

  // The next edge of clk_i is one of the domain: ClkNum times in ClkDen cycles, evenly spread.
  input  logic                          bus_tick_i,
  input  logic                          tensor_tick_i,
  input  logic                          vector_tick_i,
  input  logic                          scalar_tick_i,
  // An edge of clk_i changes something only if it is one of an awake domain, or changing_o. Inputs but for ticks as they are.
  output logic                          bus_awake_o,
  output logic                          tensor_awake_o,
  output logic                          vector_awake_o,
  output logic                          scalar_awake_o,
  output logic                          changing_o,

  // AXI4 subordinate ports onto the core window, in the bus clock domain
  input  logic [AxiPorts-1:0]           s_aw_valid_i,
  output logic [AxiPorts-1:0]           s_aw_ready_o,
  input  logic [25:0]                   s_aw_addr_i [AxiPorts],
  input  logic [AxiPorts-1:0]           s_w_valid_i,
  output logic [AxiPorts-1:0]           s_w_ready_o,
  input  logic [AxiPorts-1:0]           s_w_last_i,
  input  beat_t [AxiPorts-1:0]          s_w_data_i,
  input  strobe_t [AxiPorts-1:0]        s_w_strobe_i,
  output logic [AxiPorts-1:0]           s_b_valid_o,
  input  logic [AxiPorts-1:0]           s_b_ready_i,
  output logic [1:0]                    s_b_resp_o [AxiPorts],
  input  logic [AxiPorts-1:0]           s_ar_valid_i,
  output logic [AxiPorts-1:0]           s_ar_ready_o,
  input  logic [25:0]                   s_ar_addr_i [AxiPorts],
  input  logic [7:0]                    s_ar_len_i [AxiPorts],
  output logic [AxiPorts-1:0]           s_r_valid_o,
  input  logic [AxiPorts-1:0]           s_r_ready_i,
  output logic [AxiPorts-1:0]           s_r_last_o,
  output logic [1:0]                    s_r_resp_o [AxiPorts],
  output beat_t                         s_r_data_o [AxiPorts],

  // AXI4 manager port: instruction fetch, 32-bit writes
  output logic                          m_ar_valid_o,
  input  logic                          m_ar_ready_i,
  output logic [2:0]                    m_ar_id_o,
  output logic [2:0]                    m_ar_len_o,
  output logic [63:0]                   m_ar_addr_o,
  input  logic                          m_r_valid_i,
  output logic                          m_r_ready_o,
  input  logic [2:0]                    m_r_id_i,
  input  logic [1:0]                    m_r_resp_i,
  input  logic                          m_r_last_i,
  input  logic [511:0]                  m_r_data_i,
  output logic                          m_aw_valid_o,
  input  logic                          m_aw_ready_i,
  output logic [2:0]                    m_aw_id_o,
  output logic [63:0]                   m_aw_addr_o,
  output logic                          m_w_valid_o,
  input  logic                          m_w_ready_i,
  output logic [31:0]                   m_w_data_o,
  input  logic                          m_b_valid_i,
  output logic                          m_b_ready_o,
  input  logic [2:0]                    m_b_id_i,
  input  logic [1:0]                    m_b_resp_i,

  // AXI4 manager port, reads only: tables of activation functions, one ID, bursts of up to eight beats
  output logic                          t_ar_valid_o,
  input  logic                          t_ar_ready_i,
  output logic [2:0]                    t_ar_len_o,
  output logic [63:0]                   t_ar_addr_o,
  input  logic                          t_r_valid_i,
  output logic                          t_r_ready_o,
  input  logic [1:0]                    t_r_resp_i,
  input  scalar_table_pkg::table_beat_t t_r_data_i,

  // Verification: what the core could do is held back while a bit is up, so that a simulation tries other orders. Tied to 0
  // otherwise. Bits change with the bus clock.
  input  logic [Engines-1:0]            hold_issue_i,    // instructions leave the sequencer
  input  logic [Engines-1:0]            hold_done_i,     // instructions complete
  input  logic [1:0]                    hold_arbiter_i,  // grants: window registers, semaphores
  input  logic [3:0]                    hold_port_i,     // grants: shared port of SBUF, of PSUM, beats read, written

  // Observation; pulses last one bus cycle
  output logic                          idle_o,       // nothing happens until an input changes
  output logic                          error_o,
  output seq_state_e [Engines-1:0]      state_o,
  output logic [Engines-1:0]            busy_o,
  output logic [Engines-1:0]            issued_o,
  output logic [Engines-1:0][31:0]      issue_pc_o,
  output logic [Engines-1:0]            completed_o,
  output logic [memory_pkg::Counts-1:0][31:0] memory_counts_o,   // memory_pkg::count_e
  // Words that engines have read before anything had written them, where and who was the first; in simulation only
  output logic [31:0]                   unwritten_o,
  output logic [25:0]                   unwritten_address_o,
  output memory_pkg::master_t           unwritten_reader_o
);

  localparam int unsigned T = 32'(EngineTensor);
  localparam int unsigned V = 32'(EngineVector);
  localparam int unsigned S = 32'(EngineScalar);

  // -------------------------------------------------------------------------------------------------------- clocks
  logic bus_tick, vector_tick, scalar_tick, tensor_tick, bus_clk, bus_fire;

  assign bus_tick    = bus_tick_i;
  assign tensor_tick = tensor_tick_i;
  assign vector_tick = vector_tick_i;
  assign scalar_tick = scalar_tick_i;
  clock_gate u_bus_gate (.clk_i, .en_i(bus_fire), .clk_o(bus_clk));

  // -------------------------------------------------------------------------------------------------- bus and control
  // Beside the ports of the bus, the last one is for the sequencers' own accesses.
  localparam int unsigned WindowPorts = AxiPorts + 1;
  localparam int unsigned OwnPort     = AxiPorts;
  logic [WindowPorts-1:0] port_busy, rd_req, rd_gnt, wr_req, wr_gnt;
  logic [WindowPorts-1:0] sys_valid, sys_ready, sys_we;
  logic [25:0]         sys_addr [WindowPorts];
  logic [31:0]         sys_wdata [WindowPorts];
  bus_pkg::target_t    wr_target [WindowPorts], rd_target [WindowPorts];
  beat_t               sbuf_beat [WindowPorts], psum_beat [WindowPorts];
  beat_t [WindowPorts-1:0]   wr_data;
  strobe_t [WindowPorts-1:0] wr_strobe;
  logic                ctl_sys_valid, ctl_sys_ready, ctl_sys_we, ctl_sys_error;
  logic [25:0]         ctl_sys_addr;
  logic [31:0]         ctl_sys_wdata, ctl_sys_rdata;
  logic                ctl_idle;
  logic [$clog2(WindowPorts)-1:0] ctl_sys_port;

  for (genvar p = 0; p < AxiPorts; p++) begin : g_port
    axi_port u_port (
      .clk_i(bus_clk), .rst_ni,
      .aw_valid_i(s_aw_valid_i[p]), .aw_ready_o(s_aw_ready_o[p]), .aw_addr_i(s_aw_addr_i[p]),
      .w_valid_i(s_w_valid_i[p]), .w_ready_o(s_w_ready_o[p]), .w_last_i(s_w_last_i[p]),
      .w_data_i(s_w_data_i[p]), .w_strobe_i(s_w_strobe_i[p]),
      .b_valid_o(s_b_valid_o[p]), .b_ready_i(s_b_ready_i[p]), .b_resp_o(s_b_resp_o[p]),
      .ar_valid_i(s_ar_valid_i[p]), .ar_ready_o(s_ar_ready_o[p]), .ar_addr_i(s_ar_addr_i[p]), .ar_len_i(s_ar_len_i[p]),
      .r_valid_o(s_r_valid_o[p]), .r_ready_i(s_r_ready_i[p]), .r_last_o(s_r_last_o[p]),
      .r_resp_o(s_r_resp_o[p]), .r_data_o(s_r_data_o[p]),
      .wr_req_o(wr_req[p]), .wr_target_o(wr_target[p]), .wr_data_o(wr_data[p]), .wr_strobe_o(wr_strobe[p]), .wr_gnt_i(wr_gnt[p]),
      .rd_req_o(rd_req[p]), .rd_target_o(rd_target[p]), .rd_gnt_i(rd_gnt[p]),
      .sbuf_rdata_i(sbuf_beat[p]), .psum_rdata_i(psum_beat[p]),
      .sys_valid_o(sys_valid[p]), .sys_ready_i(sys_ready[p]), .sys_we_o(sys_we[p]), .sys_addr_o(sys_addr[p]),
      .sys_wdata_o(sys_wdata[p]), .sys_rdata_i(ctl_sys_rdata), .sys_error_i(ctl_sys_error),
      .busy_o(port_busy[p])
    );
  end

  logic        own_aw_valid, own_aw_ready, own_w_valid, own_w_ready, own_b_valid, own_ar_valid, own_ar_ready, own_r_valid;
  logic        unused_own_r_last;
  logic [1:0]  own_b_resp, own_r_resp;
  logic [25:0] own_addr;
  logic [31:0] own_wdata;
  beat_t       own_rdata;
  logic [$clog2(BeatWords)-1:0] own_word;

  assign own_word = own_addr[2+:$clog2(BeatWords)];

  axi_port u_own_port (
    .clk_i(bus_clk), .rst_ni,
    .aw_valid_i(own_aw_valid), .aw_ready_o(own_aw_ready), .aw_addr_i(own_addr),
    .w_valid_i(own_w_valid), .w_ready_o(own_w_ready), .w_last_i(1'b1), .w_data_i({BeatWords{own_wdata}}), .w_strobe_i(strobe_t'(4'hf) << {own_word, 2'b00}),
    .b_valid_o(own_b_valid), .b_ready_i(1'b1), .b_resp_o(own_b_resp),
    .ar_valid_i(own_ar_valid), .ar_ready_o(own_ar_ready), .ar_addr_i(own_addr), .ar_len_i(8'd0),
    .r_valid_o(own_r_valid), .r_ready_i(1'b1), .r_last_o(unused_own_r_last), .r_resp_o(own_r_resp), .r_data_o(own_rdata),
    .wr_req_o(wr_req[OwnPort]), .wr_target_o(wr_target[OwnPort]), .wr_data_o(wr_data[OwnPort]), .wr_strobe_o(wr_strobe[OwnPort]),
    .wr_gnt_i(wr_gnt[OwnPort]), .rd_req_o(rd_req[OwnPort]), .rd_target_o(rd_target[OwnPort]), .rd_gnt_i(rd_gnt[OwnPort]),
    .sbuf_rdata_i(sbuf_beat[OwnPort]), .psum_rdata_i(psum_beat[OwnPort]),
    .sys_valid_o(sys_valid[OwnPort]), .sys_ready_i(sys_ready[OwnPort]), .sys_we_o(sys_we[OwnPort]), .sys_addr_o(sys_addr[OwnPort]),
    .sys_wdata_o(sys_wdata[OwnPort]), .sys_rdata_i(ctl_sys_rdata), .sys_error_i(ctl_sys_error),
    .busy_o(port_busy[OwnPort])
  );

  // As registers, so that nothing is worked out twice for an input that is 0.
  logic [Engines-1:0] hold_issue_q, hold_done_q;
  logic [1:0]         hold_arbiter_q;
  always_ff @(posedge bus_clk or negedge rst_ni) begin
    if (!rst_ni) {hold_issue_q, hold_done_q, hold_arbiter_q} <= '0;
    else {hold_issue_q, hold_done_q, hold_arbiter_q} <= {hold_issue_i, hold_done_i, hold_arbiter_i};
  end

  system_arbiter #(.Ports(WindowPorts)) u_system_arbiter (
    .clk_i(bus_clk), .rst_ni, .hold_i(hold_arbiter_q[0]), .valid_i(sys_valid), .ready_o(sys_ready), .we_i(sys_we), .addr_i(sys_addr), .wdata_i(sys_wdata),
    .sys_valid_o(ctl_sys_valid), .sys_ready_i(ctl_sys_ready), .sys_we_o(ctl_sys_we), .sys_addr_o(ctl_sys_addr),
    .sys_wdata_o(ctl_sys_wdata), .sys_port_o(ctl_sys_port)
  );

  logic [Engines-1:0][511:0] dispatch_instr;
  logic [Engines-1:0] dispatch_valid, dispatch_ready, done, busy, awake, passing;
  error_e [Engines-1:0] reject, engine_fault;
  logic        sr_enable, sr_seed_valid;
  logic [31:0] sr_seed;
  logic [Engines-1:0]       issued, completed;
  logic [Engines-1:0][31:0] issue_pc;

  // Memories: first wrong access, upsets.
  memory_pkg::fault_t               memory_fault;
  logic [25:0]                      memory_fault_address, upset_address;
  memory_pkg::tag_t [Engines-1:0]   oldest;
  logic                             upset, upset_room;
  logic [5:0]                       upset_first_bit, upset_second_bit;
  bus_pkg::target_t                 upset_target;
  ecc_pkg::code_t                   upset_flips;

  // The word at the upset's address, and which of its bits change.
  always_comb begin
    upset_target     = bus_pkg::decode_target(upset_address);
    upset_target.row = upset_target.row | memory_row_t'(upset_address[2+:$clog2(BeatWords)]);
    upset_flips      = (ecc_pkg::code_t'(1) << upset_first_bit) | (ecc_pkg::code_t'(1) << upset_second_bit);
  end

  control u_control (
    .clk_i(bus_clk), .rst_ni,
    .sys_valid_i(ctl_sys_valid), .sys_ready_o(ctl_sys_ready), .sys_we_i(ctl_sys_we), .sys_addr_i(ctl_sys_addr),
    .sys_wdata_i(ctl_sys_wdata), .sys_rdata_o(ctl_sys_rdata), .sys_error_o(ctl_sys_error),
    .sys_own_i(32'(ctl_sys_port) == OwnPort), .sys_port_i(4'(ctl_sys_port)),
    .m_ar_valid_o, .m_ar_ready_i, .m_ar_id_o, .m_ar_len_o, .m_ar_addr_o,
    .m_r_valid_i, .m_r_ready_o, .m_r_id_i, .m_r_resp_i, .m_r_last_i, .m_r_data_i,
    .m_aw_valid_o, .m_aw_ready_i, .m_aw_id_o, .m_aw_addr_o, .m_w_valid_o, .m_w_ready_i, .m_w_data_o,
    .m_b_valid_i, .m_b_ready_o, .m_b_id_i, .m_b_resp_i,
    .w_addr_o(own_addr), .w_aw_valid_o(own_aw_valid), .w_aw_ready_i(own_aw_ready), .w_w_valid_o(own_w_valid),
    .w_w_ready_i(own_w_ready), .w_w_data_o(own_wdata), .w_b_valid_i(own_b_valid), .w_b_resp_i(own_b_resp),
    .w_ar_valid_o(own_ar_valid), .w_ar_ready_i(own_ar_ready), .w_r_valid_i(own_r_valid), .w_r_resp_i(own_r_resp),
    .w_r_data_i(own_rdata[own_word]),
    .dispatch_instr_o(dispatch_instr), .dispatch_valid_o(dispatch_valid), .dispatch_ready_i(dispatch_ready),
    .reject_i(reject), .done_i(done), .engine_fault_i(engine_fault), .engine_busy_i(busy),
    .hold_issue_i(hold_issue_q), .hold_done_i(hold_done_q), .hold_semaphores_i(hold_arbiter_q[1]),
    .sr_enable_o(sr_enable), .sr_seed_valid_o(sr_seed_valid), .sr_seed_o(sr_seed),
    .memory_fault_valid_i(memory_fault.valid), .memory_fault_code_i(memory_fault.code), .memory_fault_master_i(memory_fault.master),
    .memory_fault_tag_i(memory_fault.tag), .memory_fault_address_i(memory_fault_address), .memory_counts_i(memory_counts_o),
    .upset_o(upset), .upset_address_o(upset_address), .upset_first_bit_o(upset_first_bit), .upset_second_bit_o(upset_second_bit),
    .upset_ready_i(upset_room & (upset_target.region == bus_pkg::RegionSbuf | upset_target.region == bus_pkg::RegionPsum)),
    .state_o, .issued_o(issued), .issue_pc_o(issue_pc), .completed_o(completed), .error_o, .idle_o(ctl_idle)
  );

  // Pulses as registers, so that they can be looked at after the edge.
  always_ff @(posedge bus_clk or negedge rst_ni) begin
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

  logic        table_request, table_done, table_error, table_active, table_we;
  logic [63:0] table_address;
  logic [15:0] table_beats;
  scalar_table_pkg::table_beat_t table_beat;
  logic inputs_active;
  assign inputs_active = table_active | (|{s_aw_valid_i, s_w_valid_i, s_ar_valid_i}) | (|port_busy) | m_r_valid_i | m_b_valid_i |
                         (m_ar_valid_o & m_ar_ready_i) | (m_aw_valid_o & m_aw_ready_i) | (m_w_valid_o & m_w_ready_i);
  logic control_active;
  assign control_active = ~ctl_idle | inputs_active | (|{issued_o, completed_o});
  assign bus_fire       = bus_tick & control_active;
  assign bus_awake_o    = control_active | (|passing);
  assign tensor_awake_o = awake[T];
  assign vector_awake_o = awake[V];
  assign scalar_awake_o = awake[S];
  assign idle_o         = ~bus_awake_o & ~(|awake);
  assign busy_o         = busy;

  // ------------------------------------------------------------------------------------------------- Tensor engine
  localparam int unsigned Streams   = tensor_pkg::Streams;
  localparam int unsigned LoadWords = tensor_pkg::LoadWords;

  logic tensor_clk, tensor_fire, tensor_valid, tensor_ready, tensor_done, stationary_re;
  logic [Streams-1:0] moving_re, acc_we, acc_add;
  tensor_pkg::activity_t tensor_activity;
  sbuf_row_t moving_raddr [Streams], stationary_raddr [LoadWords];
  row_t      moving_rdata [tensor_pkg::ColumnGroups], stationary_rdata [LoadWords], acc_data [Streams];
  partitions_t moving_rparts [Streams], stationary_rparts [LoadWords];
  psum_row_t acc_addr [Streams];
  mask_t     acc_mask [Streams];
  memory_pkg::tag_t acc_tag [Streams];
  logic [tensor_pkg::RowGroups-1:0] moving_req, moving_gnt;
  logic      row_tile;

  engine_bridge u_tensor_bridge (
    .clk_i, .rst_ni, .bus_tick_i(bus_tick), .tick_i(tensor_tick), .ctl_valid_i(dispatch_valid[T]), .ctl_ready_o(dispatch_ready[T]),
    .ctl_done_o(done[T]), .eng_clk_o(tensor_clk), .eng_fire_o(tensor_fire), .eng_valid_o(tensor_valid),
    .eng_ready_i(tensor_ready), .eng_done_i(tensor_done), .eng_busy_i(busy[T]), .eng_wake_i(1'b0),
    .awake_o(awake[T]), .passing_o(passing[T]), .oldest_o(oldest[T])
  );

  tensor_engine u_tensor (
    .clk_i(tensor_clk), .rst_ni, .instr_valid_i(tensor_valid), .instr_i(dispatch_instr[T]), .instr_ready_o(tensor_ready),
    .reject_o(reject[T]), .done_o(tensor_done), .busy_o(busy[T]), .activity_o(tensor_activity),
    .row_tile_o(row_tile), .moving_req_o(moving_req), .moving_gnt_i(moving_gnt), .moving_re_o(moving_re), .moving_raddr_o(moving_raddr),
    .moving_rparts_o(moving_rparts), .moving_rdata_i(moving_rdata), .stationary_rparts_o(stationary_rparts),
    .stationary_re_o(stationary_re), .stationary_raddr_o(stationary_raddr), .stationary_rdata_i(stationary_rdata),
    .psum_we_o(acc_we), .psum_addr_o(acc_addr), .psum_add_o(acc_add), .psum_data_o(acc_data), .psum_mask_o(acc_mask), .psum_number_o(acc_tag)
  );

  // ------------------------------------------------------------------------------------------ ports of elementwise engines
  logic [RowEngines-1:0]       row_fire;
  row_claim_t [RowEngines-1:0] sbuf_claim, psum_claim;
  row_grant_t [RowEngines-1:0] sbuf_grant, psum_grant;
  row_req_t [RowEngines-1:0]   sbuf_req, psum_req;
  row_t                        sbuf_rdata [RowEngines], psum_rdata, row_wdata [RowEngines];
  mask_t                       row_wmask [RowEngines];

  // ------------------------------------------------------------------------------------------------- Vector engine
  logic vector_clk, vector_fire, vector_valid, vector_ready, vector_done;
  assign row_fire[VectorRows] = vector_fire;
  logic        vector_seed_valid;
  logic [31:0] vector_seed;

  engine_bridge u_vector_bridge (
    .clk_i, .rst_ni, .bus_tick_i(bus_tick), .tick_i(vector_tick), .ctl_valid_i(dispatch_valid[V]), .ctl_ready_o(dispatch_ready[V]),
    .ctl_done_o(done[V]), .eng_clk_o(vector_clk), .eng_fire_o(vector_fire), .eng_valid_o(vector_valid),
    .eng_ready_i(vector_ready), .eng_done_i(vector_done), .eng_busy_i(busy[V]), .eng_wake_i(vector_seed_valid),
    .awake_o(awake[V]), .passing_o(passing[V]), .oldest_o(oldest[V])
  );

  seed_bridge u_vector_seed_bridge (
    .clk_i, .rst_ni, .bus_tick_i(bus_tick), .ctl_valid_i(sr_seed_valid), .ctl_seed_i(sr_seed),
    .eng_valid_o(vector_seed_valid), .eng_seed_o(vector_seed), .eng_fire_i(vector_fire)
  );

  vector_engine u_vector (
    .clk_i(vector_clk), .rst_ni, .instr_valid_i(vector_valid), .instr_i(dispatch_instr[V]), .instr_ready_o(vector_ready),
    .reject_o(reject[V]), .done_o(vector_done), .busy_o(busy[V]),
    .sr_enable_i(sr_enable), .sr_seed_valid_i(vector_seed_valid), .sr_seed_i(vector_seed),
    .sbuf_claim_o(sbuf_claim[VectorRows]), .sbuf_grant_i(sbuf_grant[VectorRows]), .sbuf_req_o(sbuf_req[VectorRows]),
    .sbuf_rdata_i(sbuf_rdata[VectorRows]), .psum_claim_o(psum_claim[VectorRows]), .psum_grant_i(psum_grant[VectorRows]),
    .psum_req_o(psum_req[VectorRows]), .psum_rdata_i(psum_rdata), .wdata_o(row_wdata[VectorRows]), .wmask_o(row_wmask[VectorRows])
  );

  // ------------------------------------------------------------------------------------------------- Scalar engine
  logic scalar_clk, scalar_fire, scalar_valid, scalar_ready, scalar_done;
  assign row_fire[ScalarRows] = scalar_fire;
  logic        scalar_seed_valid;
  logic [31:0] scalar_seed;

  engine_bridge u_scalar_bridge (
    .clk_i, .rst_ni, .bus_tick_i(bus_tick), .tick_i(scalar_tick), .ctl_valid_i(dispatch_valid[S]), .ctl_ready_o(dispatch_ready[S]),
    .ctl_done_o(done[S]), .eng_clk_o(scalar_clk), .eng_fire_o(scalar_fire), .eng_valid_o(scalar_valid),
    .eng_ready_i(scalar_ready), .eng_done_i(scalar_done), .eng_busy_i(busy[S]), .eng_wake_i(scalar_seed_valid),
    .awake_o(awake[S]), .passing_o(passing[S]), .oldest_o(oldest[S])
  );

  seed_bridge u_scalar_seed_bridge (
    .clk_i, .rst_ni, .bus_tick_i(bus_tick), .ctl_valid_i(sr_seed_valid), .ctl_seed_i(sr_seed),
    .eng_valid_o(scalar_seed_valid), .eng_seed_o(scalar_seed), .eng_fire_i(scalar_fire)
  );

  table_loader u_table_loader (
    .clk_i(bus_clk), .rst_ni, .request_i(table_request), .address_i(table_address), .beats_i(table_beats),
    .done_o(table_done), .error_o(table_error),
    .ar_valid_o(t_ar_valid_o), .ar_ready_i(t_ar_ready_i), .ar_len_o(t_ar_len_o), .ar_addr_o(t_ar_addr_o),
    .r_valid_i(t_r_valid_i), .r_ready_o(t_r_ready_o), .r_resp_i(t_r_resp_i), .r_data_i(t_r_data_i),
    .table_we_o(table_we), .table_beat_o(table_beat), .active_o(table_active)
  );

  scalar_engine u_scalar (
    .clk_i(scalar_clk), .rst_ni, .instr_valid_i(scalar_valid), .instr_i(dispatch_instr[S]), .instr_ready_o(scalar_ready),
    .reject_o(reject[S]), .done_o(scalar_done), .busy_o(busy[S]), .fault_o(engine_fault[S]),
    .table_request_o(table_request), .table_address_o(table_address), .table_beats_o(table_beats), .table_done_i(table_done),
    .table_error_i(table_error), .table_clk_i(bus_clk), .table_we_i(table_we), .table_beat_i(table_beat),
    .sr_enable_i(sr_enable), .sr_seed_valid_i(scalar_seed_valid), .sr_seed_i(scalar_seed),
    .sbuf_claim_o(sbuf_claim[ScalarRows]), .sbuf_grant_i(sbuf_grant[ScalarRows]), .sbuf_req_o(sbuf_req[ScalarRows]),
    .sbuf_rdata_i(sbuf_rdata[ScalarRows]), .psum_claim_o(psum_claim[ScalarRows]), .psum_grant_i(psum_grant[ScalarRows]),
    .psum_req_o(psum_req[ScalarRows]), .psum_rdata_i(psum_rdata), .wdata_o(row_wdata[ScalarRows]), .wmask_o(row_wmask[ScalarRows])
  );

  // Other engines refuse what they cannot run before they take it.
  for (genvar e = 0; e < Engines; e++) begin : g_no_fault
    if (e != S) begin : g_engine
      assign engine_fault[e] = ErrorNone;
    end
  end

  // --------------------------------------------------------------------------------- engines without a data path yet
  for (genvar e = 0; e < Engines; e++) begin : g_no_data_path
    if (e != T && e != V && e != S) begin : g_engine
      assign reject[e]         = ErrorIllegalInstruction;
      assign dispatch_ready[e] = 1'b0;
      assign done[e]           = 1'b0;
      assign busy[e]           = 1'b0;
      assign awake[e]          = 1'b0;
      assign passing[e]        = 1'b0;
      assign oldest[e]         = '0;
    end
  end

  // ------------------------------------------------------------------------------------------------------- memories
  memories #(
    .RowGroups(tensor_pkg::RowGroups), .ColumnGroups(tensor_pkg::ColumnGroups), .LoadWords(LoadWords), .AxiPorts(AxiPorts)
  ) u_memories (
    .clk_i, .rst_ni,
    .tensor_clk_i(tensor_clk), .tensor_fire_i(tensor_fire), .row_tile_i(row_tile), .moving_req_i(moving_req), .moving_gnt_o(moving_gnt),
    .moving_re_i(moving_re), .moving_raddr_i(moving_raddr), .moving_rparts_i(moving_rparts), .moving_rdata_o(moving_rdata),
    .stationary_rparts_i(stationary_rparts),
    .stationary_re_i(stationary_re), .stationary_raddr_i(stationary_raddr), .stationary_rdata_o(stationary_rdata),
    .acc_we_i(acc_we), .acc_addr_i(acc_addr), .acc_add_i(acc_add), .acc_data_i(acc_data), .acc_mask_i(acc_mask), .acc_tag_i(acc_tag),
    .fire_i(row_fire), .sbuf_claim_i(sbuf_claim), .sbuf_grant_o(sbuf_grant), .sbuf_req_i(sbuf_req), .sbuf_rdata_o(sbuf_rdata),
    .psum_claim_i(psum_claim), .psum_grant_o(psum_grant), .psum_req_i(psum_req), .psum_rdata_o(psum_rdata),
    .wdata_i(row_wdata), .wmask_i(row_wmask),
    .bus_clk_i(bus_clk), .bus_fire_i(bus_fire), .rd_req_i(rd_req), .rd_gnt_o(rd_gnt), .rd_target_i(rd_target),
    .sbuf_beat_o(sbuf_beat), .psum_beat_o(psum_beat),
    .wr_req_i(wr_req), .wr_gnt_o(wr_gnt), .wr_target_i(wr_target), .wr_data_i(wr_data), .wr_strobe_i(wr_strobe),
    .upset_i(upset), .upset_target_i(upset_target), .upset_flips_i(upset_flips), .upset_room_o(upset_room),
    .fault_o(memory_fault), .fault_address_o(memory_fault_address), .oldest_i(oldest), .counts_o(memory_counts_o),
    .unwritten_o, .unwritten_address_o, .unwritten_reader_o,
    .hold_i(hold_port_i), .changing_o
  );

  // ----------------------------------------------------------------------------------------------------- wave scopes
  // Named for the viewer rather than as instances usually are; see docs/waves.md.
  `ifndef SYNTHESIS
  core_probe      core ();
  tensor_probe    tensor ();
  vector_probe    vector ();
  scalar_probe    scalar ();
  rounding_probe  rounding ();
  sequencer_probe #(.Engine(32'(EngineGpsimd))) gpsimd ();
  sequencer_probe #(.Engine(32'(EngineSync))) sync ();
  memory_probe    memory ();

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      IdleKnown: assert (!$isunknown({idle_o, error_o}));
    end
  end
  `endif

endmodule
