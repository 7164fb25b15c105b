// Partial-sum buffer: Lanes partitions x PsumBanks banks, FP32 accumulation in the memory.
//
// The Tensor engine's ports overwrite or read-add-write a row of fp32 words; everything else sees plain SRAM. Order within a
// cycle: reads first, then Tensor ports in ascending order, the engine port, beat ports, the word port.
module psum
  import core_pkg::*;
#(
  parameter int unsigned TensorPorts = 2,
  parameter int unsigned BeatReads   = 1,
  parameter int unsigned BeatWrites  = 1
) (
  input  logic      clk_i,
  // Tensor engine: a result row, overwriting or accumulating
  input  logic      [TensorPorts-1:0] acc_we_i,
  input  psum_row_t acc_addr_i [TensorPorts],
  input  logic      [TensorPorts-1:0] acc_add_i,
  input  row_t      acc_data_i [TensorPorts],
  input  mask_t     acc_mask_i [TensorPorts],
  // Vector or Scalar engine
  input  logic      re_i,
  input  psum_row_t raddr_i,
  output row_t      rdata_o,
  input  logic      we_i,
  input  psum_row_t waddr_i,
  input  row_t      wdata_i,
  input  logic      [3:0] be_i,
  input  mask_t     wmask_i,
  // Beats: BeatWords consecutive words of one partition (bus)
  input  logic      [BeatReads-1:0] beat_re_i,
  input  psum_row_t beat_raddr_i [BeatReads],
  input  lane_t     beat_rlane_i [BeatReads],
  output beat_t     beat_rdata_o [BeatReads],
  input  logic      [BeatWrites-1:0] beat_we_i,
  input  psum_row_t beat_waddr_i [BeatWrites],
  input  lane_t     beat_wlane_i [BeatWrites],
  input  beat_t     [BeatWrites-1:0] beat_wdata_i,
  input  strobe_t   [BeatWrites-1:0] beat_strobe_i,
  // One word of one partition (sequencers)
  input  logic        word_we_i,
  input  psum_row_t   word_waddr_i,
  input  lane_t       word_wlane_i,
  input  logic [31:0] word_wdata_i
);

  row_t sum;
  // Written by the debug back door of the simulation wrapper as well.
  row_t mem_q [PsumRows] /* verilator public_flat_rw */;

  beat_t beat;
  psum_row_t beat_row;

  // One process owns the memory, so its writes are immediate; see docs/rtl-style.md.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (re_i) rdata_o <= mem_q[raddr_i];
    for (int unsigned p = 0; p < BeatReads; p++) begin
      if (beat_re_i[p]) begin
        for (int unsigned w = 0; w < BeatWords; w++) beat[w] = mem_q[beat_raddr_i[p] + psum_row_t'(w)][beat_rlane_i[p]];
        beat_rdata_o[p] <= beat;
      end
    end
    for (int unsigned p = 0; p < TensorPorts; p++) begin
      if (acc_we_i[p]) begin
        sum = acc_data_i[p];
        if (acc_add_i[p]) psum_lane_pkg::psum_add_row(sum, mem_q[acc_addr_i[p]], acc_data_i[p]);
        row_pkg::merge_row(mem_q[acc_addr_i[p]], mem_q[acc_addr_i[p]], sum, 4'hf, acc_mask_i[p]);
      end
    end
    if (we_i) row_pkg::merge_row(mem_q[waddr_i], mem_q[waddr_i], wdata_i, be_i, wmask_i);
    for (int unsigned p = 0; p < BeatWrites; p++) begin
      if (beat_we_i[p]) begin
        for (int unsigned w = 0; w < BeatWords; w++) begin
          beat_row = beat_waddr_i[p] + psum_row_t'(w);
          mem_q[beat_row][beat_wlane_i[p]] = memory_pkg::merge_word(mem_q[beat_row][beat_wlane_i[p]], beat_wdata_i[p][w],
                                                                    beat_strobe_i[p][4*w+:4]);
        end
      end
    end
    if (word_we_i) mem_q[word_waddr_i][word_wlane_i] = word_wdata_i;
  end
  /* verilator lint_on BLKSEQ */

endmodule
