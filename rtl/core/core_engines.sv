// The engines, each in a slot, and the row ports of the elementwise engines.
module core_engines
  import core_pkg::*;
  import isa_pkg::*;
  import row_port_pkg::*;
  import tensor_pkg::*;
(
  input  logic clk_i,  // core clock
  input  logic rst_ni,
  input  logic bus_tick_i, tensor_tick_i, vector_tick_i, scalar_tick_i, gpsimd_tick_i,  // see neuron_core
  output logic [Engines-1:0] awake_o,    // the engine waits for its next edge
  output logic [Engines-1:0] passing_o,  // its slot waits for an edge of the control block

  // Control block, see control
  input  logic                      bus_clk_i,
  input  logic                      bus_fire_i,       // the control block has an edge at its end
  input  logic [Engines-1:0][511:0] dispatch_instr_i,
  input  logic [Engines-1:0]        dispatch_valid_i,
  output logic [Engines-1:0]        dispatch_ready_o,
  output error_e [Engines-1:0]      reject_o,
  output error_e [Engines-1:0]      engine_fault_o,
  output logic [Engines-1:0][31:0]  engine_fault_address_o,
  output logic [Engines-1:0]        done_o,
  output logic [Engines-1:0]        busy_o,
  output logic [Engines-1:0]             nan_o,         // the engine has written a NaN since reset
  output core_pkg::number_t [Engines-1:0] nan_number_o,  // number of the first instruction that did
  output core_pkg::number_t [Engines-1:0] oldest_o,  // number of the oldest instruction in each engine, as it gets them
  input  logic                      counters_clear_i,  // for one bus cycle
  input  counter_e                  counter_i,
  output logic [63:0]               counter_o,
  input  logic                      sr_enable_i,
  input  logic                      sr_seed_valid_i,
  input  logic [31:0]               sr_seed_i,
  output logic                      table_request_o,
  output logic [63:0]               table_address_o,
  output logic [15:0]               table_beats_o,
  input  logic                      table_done_i,
  input  logic                      table_error_i,
  input  logic                      table_we_i,
  input  scalar_table_pkg::table_beat_t table_beat_i,

  // Memories, see memories: Tensor engine
  output logic                 tensor_clk_o,
  output logic                 tensor_fire_o,
  output logic                 row_tile_o,
  output logic [RowGroups-1:0] moving_req_o,
  input  logic [RowGroups-1:0] moving_gnt_i,
  output logic [Streams-1:0]   moving_re_o,
  output sbuf_row_t            moving_raddr_o [Streams],
  output partitions_t          moving_rparts_o [Streams],
  input  row_t [ColumnGroups-1:0] moving_rdata_i,
  output logic                 stationary_re_o,
  output sbuf_row_t            stationary_raddr_o [LoadWords],
  output partitions_t          stationary_rparts_o [LoadWords],
  input  row_t [LoadWords-1:0] stationary_rdata_i,
  output logic [Streams-1:0]   acc_we_o,
  output psum_row_t            acc_addr_o [Streams],
  output logic [Streams-1:0]   acc_add_o,
  output row_t [Streams-1:0]   acc_data_o,
  output mask_t [Streams-1:0]  acc_mask_o,
  output number_t              acc_tag_o [Streams],
  input  logic                 acc_nan_i,
  input  core_pkg::number_t     acc_nan_tag_i,
  // Elementwise engines
  output logic [RowEngines-1:0]       row_fire_o,
  output row_claim_t [RowEngines-1:0] sbuf_claim_o,
  input  row_grant_t [RowEngines-1:0] sbuf_grant_i,
  output row_req_t [RowEngines-1:0]   sbuf_req_o,
  input  row_t [RowEngines-1:0]       sbuf_rdata_i,
  output row_claim_t [RowEngines-1:0] psum_claim_o,
  input  row_grant_t [RowEngines-1:0] psum_grant_i,
  output row_req_t [RowEngines-1:0]   psum_req_o,
  input  row_t                        psum_rdata_i,
  output row_t [RowEngines-1:0]       row_wdata_o,
  output mask_t [RowEngines-1:0]      row_wmask_o,
  // GpSimd
  output logic                            gpsimd_fire_o,
  output row_claim_t                      gpsimd_claim_o,
  input  row_grant_t                      gpsimd_grant_i,
  output slice_req_t [GpsimdCores-1:0]    slice_req_o,
  input  slice_row_t [GpsimdCores-1:0]    slice_rdata_i,
  output slice_row_t [GpsimdCores-1:0]    slice_wdata_o,
  output slice_strobe_t [GpsimdCores-1:0] slice_wstrobe_o,

  // Memories of the GpSimd cores, their registers, see core_control
  input  logic                            tcm_request_i,
  input  logic                            tcm_write_i,
  input  bus_pkg::target_t                tcm_target_i,
  input  beat_t                           tcm_wdata_i,
  input  strobe_t                         tcm_strobe_i,
  output logic                            tcm_done_o,
  output beat_t                           tcm_rdata_o,
  output logic [GpsimdCores-1:0][31:0]    gpsimd_pc_o,
  output gpsimd_state_e [GpsimdCores-1:0] gpsimd_state_o
);

  localparam int unsigned T = 32'(EngineTensor);
  localparam int unsigned V = 32'(EngineVector);
  localparam int unsigned S = 32'(EngineScalar);
  localparam int unsigned G = 32'(EngineGpsimd);

  activity_t          tensor_activity;
  logic [Engines-1:0] working, nan;

  // An instruction that an engine cannot run is refused before it is taken; Scalar may find a fault later.
  for (genvar e = 0; e < Engines; e++) begin : g_slot
    /* verilator lint_off UNUSEDSIGNAL */  // not every engine uses all of these
    logic clk, fire, valid, ready, finished, seed_valid, wake;
    logic [31:0] seed;
    /* verilator lint_on UNUSEDSIGNAL */
    assign working[e] = fire & busy_o[e];
    engine_slot #(.Seeded(e == V || e == S)) u_slot (
      .clk_i, .rst_ni, .bus_tick_i, .tick_i(e == T ? tensor_tick_i : e == V ? vector_tick_i : e == S ? scalar_tick_i : e == G ? gpsimd_tick_i : 1'b0),
      .valid_i(dispatch_valid_i[e]), .ready_o(dispatch_ready_o[e]), .done_o(done_o[e]),
      .seed_valid_i(sr_seed_valid_i), .seed_i(sr_seed_i), .engine_clk_o(clk), .engine_fire_o(fire), .engine_valid_o(valid),
      .engine_ready_i(ready), .engine_done_i(finished), .engine_busy_i(busy_o[e]), .engine_wake_i(wake), .engine_seed_valid_o(seed_valid),
      .engine_seed_o(seed), .awake_o(awake_o[e]), .passing_o(passing_o[e]), .oldest_o(oldest_o[e])
    );
    if (e == T) begin : g_tensor
      tensor_engine u_tensor (
        .clk_i(clk), .rst_ni, .instr_valid_i(valid), .instr_i(dispatch_instr_i[T]), .instr_ready_o(ready),
        .reject_o(reject_o[T]), .done_o(finished), .busy_o(busy_o[T]), .activity_o(tensor_activity), .row_tile_o,
        .moving_req_o, .moving_gnt_i, .moving_re_o, .moving_raddr_o,
        .moving_rparts_o, .moving_rdata_i, .stationary_re_o,
        .stationary_raddr_o, .stationary_rparts_o, .stationary_rdata_i,
        .psum_we_o(acc_we_o), .psum_addr_o(acc_addr_o), .psum_add_o(acc_add_o), .psum_data_o(acc_data_o), .psum_mask_o(acc_mask_o),
        .psum_number_o(acc_tag_o)
      );
      assign tensor_clk_o  = clk;
      assign tensor_fire_o = fire;
    end else if (e == V) begin : g_vector
      vector_engine u_vector (
        .clk_i(clk), .rst_ni, .instr_valid_i(valid), .instr_i(dispatch_instr_i[V]), .instr_ready_o(ready),
        .reject_o(reject_o[V]), .done_o(finished), .busy_o(busy_o[V]), .nan_o(nan[V]),
        .sr_enable_i, .sr_seed_valid_i(seed_valid), .sr_seed_i(seed),
        .sbuf_claim_o(sbuf_claim_o[VectorRows]), .sbuf_grant_i(sbuf_grant_i[VectorRows]), .sbuf_req_o(sbuf_req_o[VectorRows]),
        .sbuf_rdata_i(sbuf_rdata_i[VectorRows]), .psum_claim_o(psum_claim_o[VectorRows]), .psum_grant_i(psum_grant_i[VectorRows]),
        .psum_req_o(psum_req_o[VectorRows]), .psum_rdata_i, .wdata_o(row_wdata_o[VectorRows]), .wmask_o(row_wmask_o[VectorRows])
      );
      assign row_fire_o[VectorRows] = fire;
    end else if (e == S) begin : g_scalar
      scalar_engine u_scalar (
        .clk_i(clk), .rst_ni, .instr_valid_i(valid), .instr_i(dispatch_instr_i[S]), .instr_ready_o(ready),
        .reject_o(reject_o[S]), .done_o(finished), .busy_o(busy_o[S]), .nan_o(nan[S]), .fault_o(engine_fault_o[S]),
        .table_request_o, .table_address_o, .table_beats_o, .table_done_i,
        .table_error_i, .table_clk_i(bus_clk_i), .table_we_i, .table_beat_i,
        .sr_enable_i, .sr_seed_valid_i(seed_valid), .sr_seed_i(seed),
        .sbuf_claim_o(sbuf_claim_o[ScalarRows]), .sbuf_grant_i(sbuf_grant_i[ScalarRows]), .sbuf_req_o(sbuf_req_o[ScalarRows]),
        .sbuf_rdata_i(sbuf_rdata_i[ScalarRows]), .psum_claim_o(psum_claim_o[ScalarRows]), .psum_grant_i(psum_grant_i[ScalarRows]),
        .psum_req_o(psum_req_o[ScalarRows]), .psum_rdata_i, .wdata_o(row_wdata_o[ScalarRows]), .wmask_o(row_wmask_o[ScalarRows])
      );
      assign row_fire_o[ScalarRows] = fire;
    end else if (e == G) begin : g_gpsimd
      gpsimd_engine u_gpsimd (
        .clk_i(clk), .rst_ni, .instr_valid_i(valid), .instr_i(dispatch_instr_i[G]), .instr_ready_o(ready),
        .reject_o(reject_o[G]), .done_o(finished), .busy_o(busy_o[G]), .wake_o(wake), .fault_o(engine_fault_o[G]),
        .fault_address_o(engine_fault_address_o[G]), .window_request_i(tcm_request_i), .window_write_i(tcm_write_i),
        .window_target_i(tcm_target_i), .window_wdata_i(tcm_wdata_i), .window_strobe_i(tcm_strobe_i), .window_done_o(tcm_done_o),
        .window_rdata_o(tcm_rdata_o), .sbuf_claim_o(gpsimd_claim_o), .sbuf_grant_i(gpsimd_grant_i), .sbuf_req_o(slice_req_o),
        .sbuf_rdata_i(slice_rdata_i), .sbuf_wdata_o(slice_wdata_o), .sbuf_wstrobe_o(slice_wstrobe_o),
        .pc_o(gpsimd_pc_o), .state_o(gpsimd_state_o)
      );
      assign gpsimd_fire_o = fire;
    end else begin : g_no_data_path
      assign reject_o[e] = ErrorIllegalInstruction;
      assign {ready, finished, busy_o[e]} = '0;
    end
    if (e != S && e != G) begin : g_no_fault
      assign engine_fault_o[e] = ErrorNone;
    end
    if (e != G) begin : g_no_gpsimd
      assign engine_fault_address_o[e] = '0;
      assign wake = 1'b0;
    end
  end

  // ------------------------------------------------------------------------------------------- numeric errors, counters
  core_pkg::number_t [Engines-1:0] writing;
  always_comb begin
    writing    = oldest_o;
    writing[T] = acc_nan_tag_i;  // matmuls of several streams may write at the same time
  end
  assign nan[T] = acc_nan_i;
  assign {nan[EngineGpsimd], nan[EngineSync]} = '0;

  numeric_errors u_numeric_errors (.clk_i, .rst_ni, .nan_i(nan), .number_i(writing), .nan_o, .number_o(nan_number_o));

  engine_counters u_counters (
    .clk_i, .rst_ni, .bus_tick_i(bus_fire_i), .busy_i(working), .tensor_fire_i(tensor_fire_o), .tensor_i(tensor_activity),
    .clear_i(counters_clear_i & bus_tick_i), .select_i(counter_i), .value_o(counter_o)
  );

endmodule
