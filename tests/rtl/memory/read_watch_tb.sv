// The watch for reads of unwritten words, with two row reads, a row write, the port of a GpSimd core and two
// beat ports, on a memory of 200 rows.
module read_watch_tb
  import core_pkg::*;
  import memory_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [1:0]        re_i,
  input  memory_row_t       raddr_0_i,
  input  memory_row_t       raddr_1_i,
  input  lane_t [1:0]       first_i,
  input  logic [1:0][8:0]   count_i,
  input  logic              we_i,
  input  memory_row_t       waddr_i,
  input  mask_t             wmask_i,
  input  logic              slice_we_i,
  input  memory_row_t       slice_row_i,
  input  slice_strobe_t     slice_wstrobe_i,
  input  logic [1:0]        beat_we_i,
  input  logic [1:0][9:0]   beat_row_i,
  input  lane_t [1:0]       beat_lane_i,
  input  strobe_t [1:0]     beat_strobe_i,
  output logic [31:0]       words_o,
  output logic [2:0]        master_o,
  output lane_t             lane_o,
  output logic [9:0]        row_o
);

  unwritten_t       unwritten;
  bus_pkg::target_t target [2];
  partitions_t      parts [2];
  for (genvar p = 0; p < 2; p++) begin : g_port
    assign target[p] = '{region: bus_pkg::RegionSbuf, lane: beat_lane_i[p], row: memory_row_t'(beat_row_i[p])};
    assign parts[p]  = '{first: first_i[p], count: count_i[p]};
  end

  row_port_pkg::slice_req_t slice;
  assign slice = '{re: 1'b0, exists: 1'b1, raddr: '0, we: slice_we_i, waddr: slice_row_i};

  read_watch #(.Rows(200), .Reads(2), .Writes(1), .Beats(2)) u_watch (
    .clk_i, .rst_ni, .re_i, .raddr_i('{raddr_0_i, raddr_1_i}), .rparts_i(parts), .reader_i('{3'd0, 3'd2}),
    .we_i, .waddr_i('{waddr_i}), .wmask_i, .slice_req_i(slice), .slice_wstrobe_i, .beat_we_i, .beat_write_i(target), .beat_strobe_i, .unwritten_o(unwritten)
  );

  assign words_o  = unwritten.words;
  assign master_o = unwritten.master;
  assign lane_o   = unwritten.lane;
  assign row_o    = 10'(unwritten.row);

endmodule
