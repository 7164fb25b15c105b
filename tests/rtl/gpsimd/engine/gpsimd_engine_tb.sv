// The GpSimd engine in its slot, with the memories and the path from the bus to the cores' memories. The test
// plays the sequencer, two ports of the bus, and Vector, which shares the port of SBUF.
module gpsimd_engine_tb
  import bus_pkg::*;
  import core_pkg::*;
  import isa_pkg::*;
  import row_port_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bus_tick_i,
  input  logic tick_i,
  output logic fire_o,
  output logic awake_o,
  output logic passing_o,
  output logic changing_o,

  input  logic         valid_i,
  input  logic [511:0] instr_i,
  output logic         ready_o,
  output logic [4:0]   reject_o,
  output logic         done_o,
  output logic         busy_o,
  output logic [4:0]   fault_o,
  output logic [31:0]  fault_address_o,
  output logic [GpsimdCores-1:0][31:0] pc_o,
  output logic [GpsimdCores-1:0][1:0]  state_o,

  input  logic [1:0]       rd_req_i,
  output logic [1:0]       rd_gnt_o,
  input  logic [1:0][25:0] rd_addr_i,
  output beat_t [1:0]      rd_data_o,  // valid in the bus cycle after the grant
  input  logic [1:0]       wr_req_i,
  output logic [1:0]       wr_gnt_o,
  input  logic [1:0][25:0] wr_addr_i,
  input  beat_t [1:0]      wr_data_i,
  input  strobe_t [1:0]    wr_strobe_i,

  input  logic        vector_needs_i,
  input  logic        vector_uses_i,
  output logic        vector_granted_o,
  output logic        vector_hold_o,
  input  logic [3:0]  hold_i,
  input  logic        hold_window_i,
  input  logic        upset_i,
  input  logic [25:0] upset_address_i,
  output logic [31:0] gpsimd_waits_o,
  output logic [31:0] corrected_o,
  output logic [31:0] unwritten_o
);

  localparam int unsigned Ports = 2;

  logic    bus_clk, clk, fire, valid, ready, finished, busy, wake;
  error_e  fault, reject;
  clock_gate u_bus_gate (.clk_i, .en_i(bus_tick_i), .clk_o(bus_clk));

  engine_slot u_slot (
    .clk_i, .rst_ni, .bus_tick_i, .tick_i, .valid_i, .ready_o, .done_o, .seed_valid_i(1'b0), .seed_i('0),
    .engine_clk_o(clk), .engine_fire_o(fire), .engine_valid_o(valid), .engine_ready_i(ready), .engine_done_i(finished),
    .engine_busy_i(busy), .engine_wake_i(wake), .engine_seed_valid_o(), .engine_seed_o(), .awake_o, .passing_o, .oldest_o()
  );
  assign fire_o = fire;

  // ------------------------------------------------------------------------------------------------------------------- bus
  target_t     rd_target [Ports], wr_target [Ports];
  logic [1:0]  memory_rd_gnt, memory_wr_gnt, tcm_rd_gnt, tcm_wr_gnt, from_tcm_q;
  beat_t [1:0] sbuf_beat, tcm_beat;
  logic        request, write, window_done;
  target_t     target;
  beat_t       wdata, rdata;
  strobe_t     strobe;

  for (genvar p = 0; p < Ports; p++) begin : g_port
    assign rd_target[p] = decode_target(rd_addr_i[p]);
    assign wr_target[p] = decode_target(wr_addr_i[p]);
    assign rd_data_o[p] = from_tcm_q[p] ? tcm_beat[p] : sbuf_beat[p];
    always_ff @(posedge bus_clk) if (rd_gnt_o[p]) from_tcm_q[p] <= tcm_rd_gnt[p];
  end
  assign rd_gnt_o = memory_rd_gnt | tcm_rd_gnt;
  assign wr_gnt_o = memory_wr_gnt | tcm_wr_gnt;

  gpsimd_window #(.Ports(Ports)) u_window (
    .clk_i(bus_clk), .rst_ni, .hold_i(hold_window_i), .rd_req_i, .rd_gnt_o(tcm_rd_gnt), .rd_target_i(rd_target), .rdata_o(tcm_beat),
    .wr_req_i, .wr_gnt_o(tcm_wr_gnt), .wr_target_i(wr_target), .wr_data_i, .wr_strobe_i,
    .request_o(request), .write_o(write), .target_o(target), .wdata_o(wdata), .strobe_o(strobe), .done_i(window_done), .rdata_i(rdata)
  );

  // ---------------------------------------------------------------------------------------------------------------- engine
  row_claim_t                      claim;
  row_grant_t                      grant;
  slice_req_t [GpsimdCores-1:0]    slice_req;
  slice_row_t [GpsimdCores-1:0]    slice_rdata, slice_wdata;
  slice_strobe_t [GpsimdCores-1:0] slice_wstrobe;
  gpsimd_state_e [GpsimdCores-1:0] state;

  gpsimd_engine u_engine (
    .clk_i(clk), .rst_ni, .instr_valid_i(valid), .instr_i, .instr_ready_o(ready), .reject_o(reject), .done_o(finished),
    .busy_o(busy), .wake_o(wake), .fault_o(fault), .fault_address_o,
    .window_request_i(request), .window_write_i(write), .window_target_i(target), .window_wdata_i(wdata), .window_strobe_i(strobe),
    .window_done_o(window_done), .window_rdata_o(rdata), .sbuf_claim_o(claim), .sbuf_grant_i(grant), .sbuf_req_o(slice_req),
    .sbuf_rdata_i(slice_rdata), .sbuf_wdata_o(slice_wdata), .sbuf_wstrobe_o(slice_wstrobe), .pc_o, .state_o(state)
  );
  assign busy_o   = busy;
  assign reject_o = reject;
  assign fault_o  = fault;
  assign state_o  = state;

  // -------------------------------------------------------------------------------------------------------------- memories
  row_claim_t [RowEngines-1:0] claims;
  row_grant_t [RowEngines-1:0] grants;
  logic [memory_pkg::Counts-1:0][31:0] counts;
  assign claims[VectorRows] = '{needs: vector_needs_i, uses: vector_uses_i};
  assign claims[ScalarRows] = '0;
  assign vector_granted_o   = grants[VectorRows].granted;
  assign vector_hold_o      = grants[VectorRows].hold;

  memories #(.RowGroups(2), .AxiPorts(Ports - 1)) u_memories (
    .clk_i, .rst_ni, .tensor_clk_i(1'b0), .tensor_fire_i(1'b0), .row_tile_i(1'b0), .moving_req_i('0), .moving_gnt_o(),
    .moving_re_i('0), .moving_raddr_i('{default: '0}), .moving_rparts_i('{default: '0}), .moving_rdata_o(), .stationary_re_i(1'b0),
    .stationary_raddr_i('{default: '0}), .stationary_rparts_i('{default: '0}), .stationary_rdata_o(), .acc_we_i('0),
    .acc_addr_i('{default: '0}), .acc_add_i('0), .acc_data_i('0), .acc_mask_i('0), .acc_tag_i('{default: '0}), .acc_nan_o(),
    .acc_nan_tag_o(), .fire_i('0), .sbuf_claim_i(claims), .sbuf_grant_o(grants), .sbuf_req_i('0), .sbuf_rdata_o(),
    .psum_claim_i('0), .psum_grant_o(), .psum_req_i('0), .psum_rdata_o(), .wdata_i('0), .wmask_i('0),
    .gpsimd_fire_i(fire), .gpsimd_claim_i(claim), .gpsimd_grant_o(grant), .slice_req_i(slice_req), .slice_rdata_o(slice_rdata),
    .slice_wdata_i(slice_wdata), .slice_wstrobe_i(slice_wstrobe),
    .bus_clk_i(bus_clk), .bus_fire_i(bus_tick_i), .rd_req_i, .rd_gnt_o(memory_rd_gnt), .rd_target_i(rd_target),
    .sbuf_beat_o(sbuf_beat), .psum_beat_o(), .wr_req_i, .wr_gnt_o(memory_wr_gnt), .wr_target_i(wr_target), .wr_data_i, .wr_strobe_i,
    .upset_i, .upset_address_i, .upset_first_bit_i(6'd0), .upset_second_bit_i(6'd0), .upset_ready_o(), .fault_o(), .fault_address_o(),
    .oldest_i('0), .counts_o(counts), .unwritten_o, .unwritten_address_o(), .unwritten_reader_o(), .hold_i, .changing_o
  );
  assign gpsimd_waits_o = counts[memory_pkg::CountGpsimdWaits];
  assign corrected_o    = counts[memory_pkg::CountCorrected];

endmodule
