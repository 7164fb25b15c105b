// SBUF with its error correction: a row port for reads and one for writes, the port of a GpSimd core and two
// beat ports.
module upset_tb
  import core_pkg::*;
  import memory_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        re_i,
  input  memory_row_t raddr_i,
  output row_t        rdata_o,
  input  logic        we_i,
  input  memory_row_t waddr_i,
  input  row_t        wdata_i,
  input  logic [3:0]  be_i,
  input  mask_t       wmask_i,
  input  logic        slice_re_i,
  input  logic        slice_we_i,
  input  memory_row_t slice_row_i,
  input  slice_row_t  slice_wdata_i,
  input  slice_strobe_t slice_wstrobe_i,
  output slice_row_t  slice_rdata_o,
  input  logic [1:0]  beat_re_i,
  input  logic [1:0]  beat_we_i,
  input  memory_row_t beat_row_i,
  input  lane_t       beat_lane_i,
  input  beat_t       beat_data_i,
  input  strobe_t     beat_strobe_i,
  output beat_t       beat_data_o,
  input  logic        upset_i,
  input  memory_row_t upset_row_i,
  input  lane_t       upset_lane_i,
  input  logic [38:0] upset_flips_i,
  output logic        room_o,
  output logic [15:0] corrected_o,
  output logic [15:0] uncorrected_o,
  output logic        fault_o,
  output logic [2:0]  fault_master_o,
  output logic [5:0]  fault_tag_o,
  output lane_t       fault_lane_o,
  output memory_row_t fault_row_o
);

  localparam master_t Reader = 3'd1, Writer = 3'd2;

  upset_t              upset;
  logic [Upsets-1:0]   fix_valid;
  upset_t [Upsets-1:0] fix;
  fault_t              fault;
  bus_pkg::target_t    target;
  beat_t [1:0]         beat;
  row_t                unused_moving;

  row_port_pkg::slice_req_t slice;
  assign slice       = '{re: slice_re_i, exists: 1'b1, raddr: slice_row_i, we: slice_we_i, waddr: slice_row_i};
  assign upset       = '{valid: upset_i, lane: upset_lane_i, row: upset_row_i, flips: upset_flips_i};
  assign target      = '{region: bus_pkg::RegionSbuf, lane: beat_lane_i, row: beat_row_i};
  assign beat_data_o = beat[1];
  assign fault_o        = fault.valid;
  assign fault_master_o = fault.master;
  assign fault_tag_o    = fault.tag;
  assign fault_lane_o   = fault.lane;
  assign fault_row_o    = fault.row;

  sbuf #(.Beats(2)) u_sbuf (
    .clk_i, .moving_split_i(1'b0), .moving_re_i('0), .moving_raddr_i('{'0}), .moving_rdata_o(unused_moving),
    .re_i, .raddr_i(sbuf_row_t'(raddr_i)), .rdata_o, .we_i, .waddr_i(sbuf_row_t'(waddr_i)), .wdata_i, .be_i('{be_i}), .wmask_i,
    .slice_req_i(slice), .slice_rdata_o, .slice_wdata_i, .slice_wstrobe_i,
    .beat_re_i, .beat_raddr_i('{sbuf_row_t'(beat_row_i), sbuf_row_t'(beat_row_i)}), .beat_rlane_i('{beat_lane_i, beat_lane_i}), .beat_rdata_o(beat),
    .beat_we_i, .beat_waddr_i('{sbuf_row_t'(beat_row_i), sbuf_row_t'(beat_row_i)}), .beat_wlane_i('{beat_lane_i, beat_lane_i}),
    .beat_wdata_i({2{beat_data_i}}), .beat_strobe_i({2{beat_strobe_i}}), .fix_valid_i(fix_valid), .fix_i(fix), .upset_i(upset)
  );

  upset_list #(.Reads(1), .Writes(1), .Beats(2)) u_upsets (
    .clk_i, .rst_ni, .re_i, .raddr_i('{raddr_i}), .reader_i('{Reader}), .we_i, .waddr_i('{waddr_i}), .be_i('{be_i}), .wmask_i,
    .writer_i('{Writer}), .slice_req_i(slice), .slice_wstrobe_i, .beat_re_i, .beat_read_i('{target, target}), .beat_we_i, .beat_write_i('{target, target}),
    .beat_strobe_i({2{beat_strobe_i}}), .oldest_i({6'd5, 6'd4, 6'd3, 6'd2, 6'd1}), .upset_i(upset), .room_o,
    .fix_valid_o(fix_valid), .fix_o(fix), .corrected_o, .uncorrected_o, .fault_o(fault)
  );

endmodule
