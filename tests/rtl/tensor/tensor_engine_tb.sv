// The Tensor engine with its memories; the test fills SBUF and reads PSUM through one beat port each.
module tensor_engine_tb
  import core_pkg::*;
  import isa_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         instr_valid_i,
  input  logic [511:0] instr_i,
  output logic         instr_ready_o,
  output error_e       reject_o,
  output logic         done_o,
  output logic         busy_o,
  output tensor_pkg::activity_t activity_o,
  input  logic [tensor_pkg::RowGroups-1:0] moving_hold_i,  // row groups that get no row
  input  logic         sbuf_we_i,
  input  logic [15:0]  sbuf_row_i,
  input  logic [7:0]   sbuf_lane_i,
  input  beat_t        sbuf_data_i,
  input  logic         psum_re_i,
  input  logic [11:0]  psum_row_i,
  input  logic [7:0]   psum_lane_i,
  output beat_t        psum_data_o
);

  localparam int unsigned Streams = tensor_pkg::Streams;
  localparam int unsigned LoadWords = tensor_pkg::LoadWords;

  logic [tensor_pkg::RowGroups-1:0] moving_req, moving_gnt;
  logic [Streams-1:0] moving_re, psum_we, psum_add;
  sbuf_row_t moving_raddr [Streams], stationary_raddr [LoadWords];
  row_t [tensor_pkg::ColumnGroups-1:0] moving_rdata;
  row_t [LoadWords-1:0] stationary_rdata;
  row_t [Streams-1:0] psum_data;
  logic      row_tile, stationary_re;
  psum_row_t psum_addr [Streams];
  mask_t [Streams-1:0] psum_mask;

  assign moving_gnt = moving_req & ~moving_hold_i;

  sbuf_row_t [LoadWords-1:0] stationary_rows;
  for (genvar c = 0; c < LoadWords; c++) begin : g_stationary
    assign stationary_rows[c] = stationary_raddr[c];
  end

  tensor_engine u_engine (
    .clk_i, .rst_ni, .instr_valid_i, .instr_i, .instr_ready_o, .reject_o, .done_o, .busy_o, .activity_o, .row_tile_o(row_tile),
    .moving_req_o(moving_req), .moving_gnt_i(moving_gnt), .moving_re_o(moving_re), .moving_raddr_o(moving_raddr),
    .moving_rparts_o(), .moving_rdata_i(moving_rdata), .stationary_rparts_o(),
    .stationary_re_o(stationary_re), .stationary_raddr_o(stationary_raddr), .stationary_rdata_i(stationary_rdata),
    .psum_we_o(psum_we), .psum_addr_o(psum_addr), .psum_add_o(psum_add), .psum_data_o(psum_data), .psum_mask_o(psum_mask),
    .psum_number_o()
  );

  localparam memory_pkg::upset_t NoUpset = '0;
  localparam memory_pkg::upset_t [memory_pkg::Upsets-1:0] NoFixes = '0;

  sbuf #(.ReadPorts(LoadWords), .RowGroups(tensor_pkg::RowGroups), .ColumnGroups(tensor_pkg::ColumnGroups)) u_sbuf (
    .clk_i, .moving_split_i(row_tile), .moving_re_i(moving_re), .moving_raddr_i(moving_raddr), .moving_rdata_o(moving_rdata),
    .re_i({LoadWords{stationary_re}}), .raddr_i(stationary_rows), .rdata_o(stationary_rdata),
    .we_i(1'b0), .waddr_i('0), .wdata_i('0), .be_i('{'0}), .wmask_i('0),
    .slice_req_i('0), .slice_rdata_o(), .slice_wdata_i('0), .slice_wstrobe_i('0),
    .beat_re_i(1'b0), .beat_raddr_i('{'0}), .beat_rlane_i('{'0}), .beat_rdata_o(),
    .beat_we_i(sbuf_we_i), .beat_waddr_i('{sbuf_row_t'(sbuf_row_i)}), .beat_wlane_i('{lane_t'(sbuf_lane_i)}),
    .beat_wdata_i(sbuf_data_i), .beat_strobe_i('1),
    .fix_valid_i('0), .fix_i(NoFixes), .upset_i(NoUpset)
  );

  psum #(.TensorPorts(Streams)) u_psum (
    .clk_i, .acc_we_i(psum_we), .acc_addr_i(psum_addr), .acc_add_i(psum_add), .acc_data_i(psum_data), .acc_mask_i(psum_mask),
    .acc_nan_o(), .re_i(1'b0), .raddr_i('0), .rdata_o(), .we_i(1'b0), .waddr_i('0), .wdata_i('0), .be_i('0), .wmask_i('0),
    .beat_re_i(psum_re_i), .beat_raddr_i('{psum_row_t'(psum_row_i)}), .beat_rlane_i('{lane_t'(psum_lane_i)}), .beat_rdata_o(psum_data_o),
    .beat_we_i(1'b0), .beat_waddr_i('{'0}), .beat_wlane_i('{'0}), .beat_wdata_i('0), .beat_strobe_i('0),
    .fix_valid_i('0), .fix_i(NoFixes), .upset_i(NoUpset)
  );

endmodule
