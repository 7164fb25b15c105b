// A NeuronCore: the parts on the bus clock (core_control), the engines in their slots, SBUF and PSUM.
//
// clk_i is the core clock; everything runs on gated clocks derived from it (see engine_bridge). The clock
// generator outside says which edges belong to which domain. A signal from a slower domain is used here only
// together with that domain's tick.
module neuron_core
  import cfg_pkg::*;
  import core_pkg::*;
  import isa_pkg::*;
  import row_port_pkg::*;
  import tensor_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [63:0] timestamp_i,  // counts core cycles, also those that are skipped while nothing happens

  // The next edge of clk_i belongs to the domain; that is so ClkNum times in ClkDen cycles, evenly spread.
  input  logic bus_tick_i, tensor_tick_i, vector_tick_i, scalar_tick_i, gpsimd_tick_i,
  // While the inputs other than ticks stay the same, an edge of clk_i changes something only if it belongs to
  // an awake domain or changing_o is high.
  output logic bus_awake_o, tensor_awake_o, vector_awake_o, scalar_awake_o, gpsimd_awake_o, changing_o,

  // AXI4 subordinate ports onto the core window, in the bus clock domain
  input  logic [AxiPorts-1:0]    s_aw_valid_i, s_w_valid_i, s_w_last_i, s_b_ready_i, s_ar_valid_i, s_r_ready_i,
  output logic [AxiPorts-1:0]    s_aw_ready_o, s_w_ready_o, s_b_valid_o, s_ar_ready_o, s_r_valid_o, s_r_last_o,
  input  logic [25:0]            s_aw_addr_i [AxiPorts], s_ar_addr_i [AxiPorts],
  input  logic [7:0]             s_ar_len_i [AxiPorts],
  input  beat_t [AxiPorts-1:0]   s_w_data_i,
  input  strobe_t [AxiPorts-1:0] s_w_strobe_i,
  output logic [1:0]             s_b_resp_o [AxiPorts], s_r_resp_o [AxiPorts],
  output beat_t [AxiPorts-1:0]   s_r_data_o,

  // AXI4 manager port: instruction fetch, writes of 32 and 128 bits
  output logic         m_ar_valid_o, m_r_ready_o, m_aw_valid_o, m_w_valid_o, m_b_ready_o,
  input  logic         m_ar_ready_i, m_r_valid_i, m_r_last_i, m_aw_ready_i, m_w_ready_i, m_b_valid_i,
  output logic [2:0]   m_ar_id_o, m_ar_len_o, m_aw_id_o, m_aw_size_o,
  output logic [63:0]  m_ar_addr_o, m_aw_addr_o,
  output logic [127:0] m_w_data_o,
  input  logic [2:0]   m_r_id_i, m_b_id_i,
  input  logic [1:0]   m_r_resp_i, m_b_resp_i,
  input  logic [511:0] m_r_data_i,

  // AXI4 manager port, reads only: tables of activation functions, one ID, bursts of up to eight beats
  output logic         t_ar_valid_o, t_r_ready_o,
  input  logic         t_ar_ready_i, t_r_valid_i,
  output logic [2:0]   t_ar_len_o,
  output logic [63:0]  t_ar_addr_o,
  input  logic [1:0]   t_r_resp_i,
  input  scalar_table_pkg::table_beat_t t_r_data_i,

  // Verification: while a bit is high, it holds back an action that the core could take, so that a simulation
  // tries other orders. Tied to 0 otherwise. The bits change with the bus clock.
  input  logic [Engines-1:0] hold_issue_i,    // instructions that leave the sequencer
  input  logic [Engines-1:0] hold_done_i,     // completions of instructions
  input  logic [1:0]         hold_arbiter_i,  // grants of the window registers and of the semaphores
  input  logic [3:0]         hold_port_i,     // grants: ports of SBUF and PSUM, beat reads, beat writes

  // Observation; pulses last one bus cycle
  output logic                      idle_o,   // high if nothing happens until an input changes
  output logic                      error_o,
  output seq_state_e [Engines-1:0]  state_o,
  output logic [Engines-1:0]        busy_o, issued_o, completed_o,
  output logic [Engines-1:0][31:0]  issue_pc_o,
  output logic [memory_pkg::Counts-1:0][31:0] memory_counts_o,  // indexed by memory_pkg::count_e
  // Number of words that engines have read before anything had written them, address and reader of the first
  // one; in simulation only
  output logic [31:0]               unwritten_o,
  output logic [25:0]               unwritten_address_o,
  output memory_pkg::master_t       unwritten_reader_o
);

  localparam int unsigned WindowPorts = AxiPorts + 1;

  // ------------------------------------------------------------------------------------------------------------------- bus
  logic [Engines-1:0][511:0]        dispatch_instr;
  logic [Engines-1:0]               dispatch_valid, dispatch_ready, done, awake, passing;
  error_e [Engines-1:0]             reject, engine_fault;
  logic [Engines-1:0][31:0]         engine_fault_address;
  core_pkg::number_t [Engines-1:0]   oldest, nan_number;
  logic [Engines-1:0]               nan;
  logic                             bus_clk, bus_fire, control_active, counters_clear, sr_enable, sr_seed_valid;
  counter_e                         counter_select;
  logic [63:0]                      counter;
  logic [31:0]                      sr_seed;
  logic                             table_request, table_done, table_error, table_we;
  logic [63:0]                      table_address;
  logic [15:0]                      table_beats;
  scalar_table_pkg::table_beat_t    table_beat;
  logic [WindowPorts-1:0]           rd_req, rd_gnt, wr_req, wr_gnt;
  bus_pkg::target_t                 wr_target [WindowPorts], rd_target [WindowPorts];
  beat_t [WindowPorts-1:0]          sbuf_beat, psum_beat;
  beat_t [WindowPorts-1:0]          wr_data;
  strobe_t [WindowPorts-1:0]        wr_strobe;
  memory_pkg::fault_t               memory_fault;
  logic [25:0]                      memory_fault_address, upset_address;
  logic                             tcm_request, tcm_write, tcm_done;
  bus_pkg::target_t                 tcm_target;
  beat_t                            tcm_wdata, tcm_rdata;
  strobe_t                          tcm_strobe;
  logic [GpsimdCores-1:0][31:0]     gpsimd_pc;
  gpsimd_state_e [GpsimdCores-1:0]  gpsimd_state;
  logic                             upset, upset_ready;
  logic [5:0]                       upset_first_bit, upset_second_bit;

  core_control u_core_control (
    .clk_i(bus_clk), .rst_ni, .active_o(control_active), .timestamp_i,
    .s_aw_valid_i, .s_aw_ready_o, .s_aw_addr_i, .s_w_valid_i, .s_w_ready_o, .s_w_last_i, .s_w_data_i, .s_w_strobe_i,
    .s_b_valid_o, .s_b_ready_i, .s_b_resp_o, .s_ar_valid_i, .s_ar_ready_o, .s_ar_addr_i, .s_ar_len_i,
    .s_r_valid_o, .s_r_ready_i, .s_r_last_o, .s_r_resp_o, .s_r_data_o,
    .m_ar_valid_o, .m_ar_ready_i, .m_ar_id_o, .m_ar_len_o, .m_ar_addr_o,
    .m_r_valid_i, .m_r_ready_o, .m_r_id_i, .m_r_resp_i, .m_r_last_i, .m_r_data_i,
    .m_aw_valid_o, .m_aw_ready_i, .m_aw_id_o, .m_aw_size_o, .m_aw_addr_o, .m_w_valid_o, .m_w_ready_i, .m_w_data_o,
    .m_b_valid_i, .m_b_ready_o, .m_b_id_i, .m_b_resp_i,
    .t_ar_valid_o, .t_ar_ready_i, .t_ar_len_o, .t_ar_addr_o, .t_r_valid_i, .t_r_ready_o, .t_r_resp_i, .t_r_data_i,
    .hold_issue_i, .hold_done_i, .hold_arbiter_i,
    .dispatch_instr_o(dispatch_instr), .dispatch_valid_o(dispatch_valid), .dispatch_ready_i(dispatch_ready), .reject_i(reject),
    .engine_fault_i(engine_fault), .engine_fault_address_i(engine_fault_address), .done_i(done), .busy_i(busy_o), .nan_i(nan), .nan_number_i(nan_number),
    .sr_enable_o(sr_enable), .sr_seed_valid_o(sr_seed_valid), .sr_seed_o(sr_seed), .counter_o(counter_select), .counter_i(counter), .counters_clear_o(counters_clear),
    .table_request_i(table_request), .table_address_i(table_address), .table_beats_i(table_beats), .table_done_o(table_done),
    .table_error_o(table_error), .table_we_o(table_we), .table_beat_o(table_beat),
    .rd_req_o(rd_req), .rd_gnt_i(rd_gnt), .rd_target_o(rd_target), .sbuf_beat_i(sbuf_beat), .psum_beat_i(psum_beat),
    .wr_req_o(wr_req), .wr_gnt_i(wr_gnt), .wr_target_o(wr_target), .wr_data_o(wr_data), .wr_strobe_o(wr_strobe),
    .memory_fault_i(memory_fault), .memory_fault_address_i(memory_fault_address), .memory_counts_i(memory_counts_o),
    .upset_o(upset), .upset_address_o(upset_address), .upset_first_bit_o(upset_first_bit), .upset_second_bit_o(upset_second_bit),
    .tcm_request_o(tcm_request), .tcm_write_o(tcm_write), .tcm_target_o(tcm_target), .tcm_wdata_o(tcm_wdata), .tcm_strobe_o(tcm_strobe),
    .tcm_done_i(tcm_done), .tcm_rdata_i(tcm_rdata), .gpsimd_awake_i(gpsimd_awake_o), .gpsimd_pc_i(gpsimd_pc), .gpsimd_state_i(gpsimd_state),
    .upset_ready_i(upset_ready), .error_o, .state_o, .issued_o, .issue_pc_o, .completed_o
  );

  clock_gate u_bus_gate (.clk_i, .en_i(bus_fire), .clk_o(bus_clk));
  assign bus_fire    = bus_tick_i & control_active;
  assign bus_awake_o = control_active | (|passing);
  assign {tensor_awake_o, vector_awake_o, scalar_awake_o, gpsimd_awake_o} =
    {awake[EngineTensor], awake[EngineVector], awake[EngineScalar], awake[EngineGpsimd]};
  assign idle_o      = ~bus_awake_o & ~(|awake);

  // --------------------------------------------------------------------------------------------------------------- engines
  logic                        tensor_clk, tensor_fire, row_tile, stationary_re;
  logic [RowGroups-1:0]        moving_req, moving_gnt;
  logic [Streams-1:0]          moving_re, acc_we, acc_add;
  sbuf_row_t                   moving_raddr [Streams], stationary_raddr [LoadWords];
  partitions_t                 moving_rparts [Streams], stationary_rparts [LoadWords];
  row_t [ColumnGroups-1:0]     moving_rdata;
  row_t [LoadWords-1:0]        stationary_rdata;
  row_t [Streams-1:0]          acc_data;
  psum_row_t                   acc_addr [Streams];
  mask_t [Streams-1:0]         acc_mask;
  mask_t [RowEngines-1:0]      row_wmask;
  number_t                     acc_tag [Streams], acc_nan_tag;
  logic                        acc_nan;
  logic [RowEngines-1:0]       row_fire;
  row_claim_t [RowEngines-1:0] sbuf_claim, psum_claim;
  row_grant_t [RowEngines-1:0] sbuf_grant, psum_grant;
  row_req_t [RowEngines-1:0]   sbuf_req, psum_req;
  row_t [RowEngines-1:0]       sbuf_rdata, row_wdata;
  row_t                        psum_rdata;
  logic                        gpsimd_fire;
  row_claim_t                  gpsimd_claim;
  row_grant_t                  gpsimd_grant;
  slice_req_t [GpsimdCores-1:0]    slice_req;
  slice_row_t [GpsimdCores-1:0]    slice_rdata, slice_wdata;
  slice_strobe_t [GpsimdCores-1:0] slice_wstrobe;

  core_engines u_engines (
    .clk_i, .rst_ni, .bus_tick_i, .tensor_tick_i, .vector_tick_i, .scalar_tick_i, .gpsimd_tick_i, .awake_o(awake), .passing_o(passing), .bus_clk_i(bus_clk), .bus_fire_i(bus_fire),
    .dispatch_instr_i(dispatch_instr), .dispatch_valid_i(dispatch_valid), .dispatch_ready_o(dispatch_ready), .reject_o(reject),
    .engine_fault_o(engine_fault), .engine_fault_address_o(engine_fault_address), .done_o(done), .busy_o, .oldest_o(oldest), .nan_o(nan), .nan_number_o(nan_number),
    .sr_enable_i(sr_enable), .sr_seed_valid_i(sr_seed_valid), .sr_seed_i(sr_seed), .counters_clear_i(counters_clear),
    .counter_i(counter_select), .counter_o(counter),
    .table_request_o(table_request), .table_address_o(table_address), .table_beats_o(table_beats), .table_done_i(table_done),
    .table_error_i(table_error), .table_we_i(table_we), .table_beat_i(table_beat),
    .tensor_clk_o(tensor_clk), .tensor_fire_o(tensor_fire), .row_tile_o(row_tile), .moving_req_o(moving_req), .moving_gnt_i(moving_gnt),
    .moving_re_o(moving_re), .moving_raddr_o(moving_raddr), .moving_rparts_o(moving_rparts), .moving_rdata_i(moving_rdata),
    .stationary_re_o(stationary_re), .stationary_raddr_o(stationary_raddr), .stationary_rparts_o(stationary_rparts),
    .stationary_rdata_i(stationary_rdata), .acc_we_o(acc_we), .acc_addr_o(acc_addr), .acc_add_o(acc_add), .acc_data_o(acc_data),
    .acc_mask_o(acc_mask), .acc_tag_o(acc_tag), .acc_nan_i(acc_nan), .acc_nan_tag_i(acc_nan_tag), .row_fire_o(row_fire), .sbuf_claim_o(sbuf_claim), .sbuf_grant_i(sbuf_grant),
    .sbuf_req_o(sbuf_req), .sbuf_rdata_i(sbuf_rdata), .psum_claim_o(psum_claim), .psum_grant_i(psum_grant), .psum_req_o(psum_req),
    .psum_rdata_i(psum_rdata), .row_wdata_o(row_wdata), .row_wmask_o(row_wmask),
    .gpsimd_fire_o(gpsimd_fire), .gpsimd_claim_o(gpsimd_claim), .gpsimd_grant_i(gpsimd_grant), .slice_req_o(slice_req),
    .slice_rdata_i(slice_rdata), .slice_wdata_o(slice_wdata), .slice_wstrobe_o(slice_wstrobe),
    .tcm_request_i(tcm_request), .tcm_write_i(tcm_write), .tcm_target_i(tcm_target), .tcm_wdata_i(tcm_wdata), .tcm_strobe_i(tcm_strobe),
    .tcm_done_o(tcm_done), .tcm_rdata_o(tcm_rdata), .gpsimd_pc_o(gpsimd_pc), .gpsimd_state_o(gpsimd_state)
  );

  // -------------------------------------------------------------------------------------------------------------- memories
  memories #(.RowGroups(RowGroups), .ColumnGroups(ColumnGroups), .LoadWords(LoadWords), .AxiPorts(AxiPorts)) u_memories (
    .clk_i, .rst_ni, .tensor_clk_i(tensor_clk), .tensor_fire_i(tensor_fire), .row_tile_i(row_tile),
    .moving_req_i(moving_req), .moving_gnt_o(moving_gnt), .moving_re_i(moving_re), .moving_raddr_i(moving_raddr),
    .moving_rparts_i(moving_rparts), .moving_rdata_o(moving_rdata), .stationary_re_i(stationary_re),
    .stationary_raddr_i(stationary_raddr), .stationary_rparts_i(stationary_rparts), .stationary_rdata_o(stationary_rdata),
    .acc_we_i(acc_we), .acc_addr_i(acc_addr), .acc_add_i(acc_add), .acc_data_i(acc_data), .acc_mask_i(acc_mask), .acc_tag_i(acc_tag),
    .acc_nan_o(acc_nan), .acc_nan_tag_o(acc_nan_tag),
    .fire_i(row_fire), .sbuf_claim_i(sbuf_claim), .sbuf_grant_o(sbuf_grant), .sbuf_req_i(sbuf_req),
    .sbuf_rdata_o(sbuf_rdata), .psum_claim_i(psum_claim), .psum_grant_o(psum_grant), .psum_req_i(psum_req),
    .psum_rdata_o(psum_rdata), .wdata_i(row_wdata), .wmask_i(row_wmask),
    .gpsimd_fire_i(gpsimd_fire), .gpsimd_claim_i(gpsimd_claim), .gpsimd_grant_o(gpsimd_grant), .slice_req_i(slice_req),
    .slice_rdata_o(slice_rdata), .slice_wdata_i(slice_wdata), .slice_wstrobe_i(slice_wstrobe),
    .bus_clk_i(bus_clk), .bus_fire_i(bus_fire), .rd_req_i(rd_req), .rd_gnt_o(rd_gnt), .rd_target_i(rd_target),
    .sbuf_beat_o(sbuf_beat), .psum_beat_o(psum_beat), .wr_req_i(wr_req), .wr_gnt_o(wr_gnt), .wr_target_i(wr_target),
    .wr_data_i(wr_data), .wr_strobe_i(wr_strobe),
    .upset_i(upset), .upset_address_i(upset_address), .upset_first_bit_i(upset_first_bit), .upset_second_bit_i(upset_second_bit),
    .upset_ready_o(upset_ready), .fault_o(memory_fault), .fault_address_o(memory_fault_address), .oldest_i(oldest),
    .counts_o(memory_counts_o), .unwritten_o, .unwritten_address_o, .unwritten_reader_o, .hold_i(hold_port_i), .changing_o
  );

  // ----------------------------------------------------------------------------------------------------- wave scopes
  // The scopes have names for the viewer, which differ from the usual names of instances; see docs/waves.md.
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
