// State buffer: Lanes partitions, kept as rows (one 32-bit word of every partition) so that an engine's access is one row.
//
// Every port is served in every cycle; requesters that share a port have taken turns before (`memories`). A
// read returns the memory as it was before the writes of the same cycle; its data stays until the port reads
// again.
module sbuf
  import core_pkg::*;
  import memory_pkg::*;
  import row_port_pkg::slice_req_t;
#(
  parameter int unsigned ReadPorts    = 1,
  parameter int unsigned WritePorts   = 1,
  parameter int unsigned Beats        = 1,
  parameter int unsigned RowGroups    = 1,
  parameter int unsigned ColumnGroups = 1,
  parameter int unsigned Streams      = RowGroups * ColumnGroups
) (
  input  logic      clk_i,
  // Moving operand of each column group: a row that the first row group reads, or for each row group the
  // partitions that it works on. Stream: column group * RowGroups + row group
  input  logic      moving_split_i,
  input  logic      [Streams-1:0] moving_re_i,
  input  sbuf_row_t moving_raddr_i [Streams],
  output row_t [ColumnGroups-1:0] moving_rdata_o,
  // Row reads (stationary operands, Vector, Scalar)
  input  logic      [ReadPorts-1:0] re_i,
  input  sbuf_row_t [ReadPorts-1:0] raddr_i,
  output row_t [ReadPorts-1:0] rdata_o,
  // Row writes: bytes of the 32-bit word, the same in all partitions of the mask
  input  logic      [WritePorts-1:0] we_i,
  input  sbuf_row_t [WritePorts-1:0] waddr_i,
  input  row_t [WritePorts-1:0] wdata_i,
  input  logic      [3:0] be_i [WritePorts],
  input  mask_t [WritePorts-1:0] wmask_i,
  // GpSimd cores: the words of a row that belong to each core
  input  slice_req_t    [GpsimdCores-1:0] slice_req_i,
  output slice_row_t    [GpsimdCores-1:0] slice_rdata_o,
  input  slice_row_t    [GpsimdCores-1:0] slice_wdata_i,
  input  slice_strobe_t [GpsimdCores-1:0] slice_wstrobe_i,
  // Beats: BeatWords consecutive words of one partition (bus)
  input  logic      [Beats-1:0] beat_re_i,
  input  sbuf_row_t beat_raddr_i [Beats],
  input  lane_t     beat_rlane_i [Beats],
  output beat_t [Beats-1:0] beat_rdata_o,
  input  logic      [Beats-1:0] beat_we_i,
  input  sbuf_row_t beat_waddr_i [Beats],
  input  lane_t     beat_wlane_i [Beats],
  input  beat_t     [Beats-1:0] beat_wdata_i,
  input  strobe_t   [Beats-1:0] beat_strobe_i,
  // Bits that change: before the accesses of the cycle (error correction), at its end (upset)
  input  logic      [Upsets-1:0] fix_valid_i,
  input  upset_t    [Upsets-1:0] fix_i,
  input  upset_t    upset_i
);

  // The debug back door of the simulation wrapper writes it as well.
  row_t mem_q [SbufRows] /* verilator public_flat_rw */;

  localparam int unsigned GroupRows = cfg_pkg::Rows / RowGroups;

  // Data that was read last. Registers that few cycles write are arrays, because the simulator keeps a second
  // copy of other registers.
  row_t  moving_q [ColumnGroups], rdata_q [ReadPorts];
  beat_t beat_q [Beats];
  slice_row_t [GpsimdCores-1:0] slice_q [1];
  for (genvar c = 0; c < ColumnGroups; c++) begin : g_moving
    assign moving_rdata_o[c] = moving_q[c];
  end
  for (genvar p = 0; p < ReadPorts; p++) begin : g_read
    assign rdata_o[p] = rdata_q[p];
  end
  for (genvar p = 0; p < Beats; p++) begin : g_beat
    assign beat_rdata_o[p] = beat_q[p];
  end

  assign slice_rdata_o = slice_q[0];

  beat_t beat;
  slice_row_t slice;
  sbuf_row_t beat_row;
  row_t moving;

  // One process owns the memory, so its writes are immediate; see docs/rtl-style.md.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (fix_valid_i != '0) begin
      for (int unsigned u = 0; u < Upsets; u++) begin
        if (fix_valid_i[u]) mem_q[sbuf_row_t'(fix_i[u].row)][fix_i[u].lane] = mem_q[sbuf_row_t'(fix_i[u].row)][fix_i[u].lane] ^ fix_i[u].flips.word;
      end
    end
    for (int unsigned c = 0; c < ColumnGroups; c++) begin
      if (!moving_split_i) begin
        if (moving_re_i[c*RowGroups]) moving_q[c] <= mem_q[moving_raddr_i[c*RowGroups]];
      end else if (moving_re_i[c*RowGroups+:RowGroups] != '0) begin
        moving = moving_q[c];
        for (int unsigned g = 0; g < RowGroups; g++) begin
          if (moving_re_i[c*RowGroups+g]) moving[g*GroupRows+:GroupRows] = mem_q[moving_raddr_i[c*RowGroups+g]][g*GroupRows+:GroupRows];
        end
        moving_q[c] <= moving;
      end
    end
    for (int unsigned p = 0; p < ReadPorts; p++) begin
      if (re_i[p]) rdata_q[p] <= mem_q[raddr_i[p]];
    end
    for (int unsigned p = 0; p < Beats; p++) begin
      if (beat_re_i[p]) begin
        for (int unsigned w = 0; w < BeatWords; w++) beat[w] = mem_q[beat_raddr_i[p] + sbuf_row_t'(w)][beat_rlane_i[p]];
        beat_q[p] <= beat;
      end
    end
    if (slice_req_i != '0) begin
      for (int unsigned k = 0; k < GpsimdCores; k++) begin
        if (slice_req_i[k].re) begin
          slice = '0;
          for (int unsigned w = 0; w < SliceWords; w++) begin
            if (slice_req_i[k].exists && SliceWords * k + w < cfg_pkg::Lanes) slice[w] = mem_q[sbuf_row_t'(slice_req_i[k].raddr)][lane_t'(SliceWords*k+w)];
          end
          slice_q[0][k] <= slice;
        end
      end
      for (int unsigned k = 0; k < GpsimdCores; k++) begin
        if (slice_req_i[k].we) begin
          for (int unsigned w = 0; w < SliceWords; w++) begin
            if (SliceWords * k + w < cfg_pkg::Lanes) begin
              mem_q[sbuf_row_t'(slice_req_i[k].waddr)][lane_t'(SliceWords*k+w)] =
                memory_pkg::merge_word(mem_q[sbuf_row_t'(slice_req_i[k].waddr)][lane_t'(SliceWords*k+w)], slice_wdata_i[k][w], slice_wstrobe_i[k][4*w+:4]);
            end
          end
        end
      end
    end
    for (int unsigned p = 0; p < WritePorts; p++) begin
      if (we_i[p]) row_pkg::merge_row(mem_q[waddr_i[p]], mem_q[waddr_i[p]], wdata_i[p], be_i[p], wmask_i[p]);
    end
    for (int unsigned p = 0; p < Beats; p++) begin
      if (beat_we_i[p]) begin
        for (int unsigned w = 0; w < BeatWords; w++) begin
          beat_row = beat_waddr_i[p] + sbuf_row_t'(w);
          mem_q[beat_row][beat_wlane_i[p]] = memory_pkg::merge_word(mem_q[beat_row][beat_wlane_i[p]], beat_wdata_i[p][w],
                                                                    beat_strobe_i[p][4*w+:4]);
        end
      end
    end
    if (upset_i.valid) mem_q[sbuf_row_t'(upset_i.row)][upset_i.lane] = mem_q[sbuf_row_t'(upset_i.row)][upset_i.lane] ^ upset_i.flips.word;
  end
  /* verilator lint_on BLKSEQ */

  `ifndef SYNTHESIS
  localparam int unsigned BeatBits = $clog2(BeatWords);
  always_ff @(posedge clk_i) begin
    EnablesKnown: assert (!$isunknown({moving_re_i, re_i, we_i, beat_re_i, beat_we_i, fix_valid_i, upset_i.valid}));
    for (int unsigned p = 0; p < WritePorts; p++) begin
      if (we_i[p]) begin
        RowExists: assert (32'(waddr_i[p]) < SbufRows);
        WriteKnown: assert (!$isunknown({waddr_i[p], be_i[p], wmask_i[p], wdata_i[p]}));
        for (int unsigned o = 0; o < p; o++) begin
          OneRowWriter: assert (!(we_i[o] && waddr_i[o] == waddr_i[p] && (be_i[o] & be_i[p]) != '0 && (wmask_i[o] & wmask_i[p]) != '0));
        end
        for (int unsigned b = 0; b < Beats; b++) begin
          if (beat_we_i != '0) RowOrBeat: assert (!(beat_we_i[b] && beat_waddr_i[b] >> BeatBits == waddr_i[p] >> BeatBits &&
                               wmask_i[p][beat_wlane_i[b]] && (be_i[p] & beat_strobe_i[b][4*waddr_i[p][BeatBits-1:0]+:4]) != '0));
        end
      end
    end
    for (int unsigned k = 0; k < GpsimdCores; k++) begin
      if (slice_req_i[k].we) SliceKnown: assert (!$isunknown({slice_req_i[k], slice_wstrobe_i[k]}) && 32'(slice_req_i[k].waddr) < SbufRows);
    end
    if ({beat_re_i, beat_we_i} != '0) begin
      for (int unsigned b = 0; b < Beats; b++) begin
        if (beat_we_i[b]) BeatKnown: assert (!$isunknown({beat_waddr_i[b], beat_wlane_i[b], beat_wdata_i[b], beat_strobe_i[b]}));
        for (int unsigned o = 0; o < b; o++) begin
          OneReadASlice: assert (!(beat_re_i[b] && beat_re_i[o] && slice_of(beat_rlane_i[b]) == slice_of(beat_rlane_i[o])));
          OneWriteASlice: assert (!(beat_we_i[b] && beat_we_i[o] && slice_of(beat_wlane_i[b]) == slice_of(beat_wlane_i[o])));
        end
      end
    end
  end
  `endif

endmodule
