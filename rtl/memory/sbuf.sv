// State buffer: Lanes partitions, kept as rows (one 32-bit word of every partition) so that an engine's access is one row.
//
// Every port is served in every cycle. A read returns the memory as it was before the writes of the same cycle; its data
// stays until the port reads again. When several ports write one word in one cycle, the later in this order wins: engine
// ports in ascending order, beat ports, the word port.
module sbuf
  import core_pkg::*;
#(
  parameter int unsigned ReadPorts  = 1,
  parameter int unsigned WritePorts = 1,
  parameter int unsigned BeatReads  = 1,
  parameter int unsigned BeatWrites = 1
) (
  input  logic      clk_i,
  // Row reads (Tensor, Vector/GpSimd, Scalar)
  input  logic      [ReadPorts-1:0] re_i,
  input  sbuf_row_t raddr_i [ReadPorts],
  output row_t      rdata_o [ReadPorts],
  // Row writes: bytes of the 32-bit word, the same in all partitions of the mask
  input  logic      [WritePorts-1:0] we_i,
  input  sbuf_row_t waddr_i [WritePorts],
  input  row_t      wdata_i [WritePorts],
  input  logic      [3:0] be_i [WritePorts],
  input  mask_t     wmask_i [WritePorts],
  // Beats: BeatWords consecutive words of one partition (bus)
  input  logic      [BeatReads-1:0] beat_re_i,
  input  sbuf_row_t beat_raddr_i [BeatReads],
  input  lane_t     beat_rlane_i [BeatReads],
  output beat_t     beat_rdata_o [BeatReads],
  input  logic      [BeatWrites-1:0] beat_we_i,
  input  sbuf_row_t beat_waddr_i [BeatWrites],
  input  lane_t     beat_wlane_i [BeatWrites],
  input  beat_t     [BeatWrites-1:0] beat_wdata_i,
  input  strobe_t   [BeatWrites-1:0] beat_strobe_i,
  // One word of one partition (sequencers)
  input  logic        word_we_i,
  input  sbuf_row_t   word_waddr_i,
  input  lane_t       word_wlane_i,
  input  logic [31:0] word_wdata_i
);

  // Written by the debug back door of the simulation wrapper as well.
  row_t mem_q [SbufRows] /* verilator public_flat_rw */;

  beat_t beat;
  sbuf_row_t beat_row;

  // One process owns the memory, so its writes are immediate; see docs/rtl-style.md.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < ReadPorts; p++) begin
      if (re_i[p]) rdata_o[p] <= mem_q[raddr_i[p]];
    end
    for (int unsigned p = 0; p < BeatReads; p++) begin
      if (beat_re_i[p]) begin
        for (int unsigned w = 0; w < BeatWords; w++) beat[w] = mem_q[beat_raddr_i[p] + sbuf_row_t'(w)][beat_rlane_i[p]];
        beat_rdata_o[p] <= beat;
      end
    end
    for (int unsigned p = 0; p < WritePorts; p++) begin
      if (we_i[p]) row_pkg::merge_row(mem_q[waddr_i[p]], mem_q[waddr_i[p]], wdata_i[p], be_i[p], wmask_i[p]);
    end
    for (int unsigned p = 0; p < BeatWrites; p++) begin
      if (beat_we_i[p]) begin
        for (int unsigned w = 0; w < BeatWords; w++) begin
          beat_row = beat_waddr_i[p] + sbuf_row_t'(w);
          mem_q[beat_row][beat_wlane_i[p]] = memory_pkg::merge_word(mem_q[beat_row][beat_wlane_i[p]], beat_wdata_i[p][w],
                                                                    beat_strobe_i[p][4*w+:4]);
        end
      end
    end
    if (word_we_i) mem_q[word_waddr_i][word_wlane_i] = word_wdata_i;
  end
  /* verilator lint_on BLKSEQ */

endmodule
