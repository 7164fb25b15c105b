// Partial-sum buffer: Lanes partitions x PsumBanks banks, FP32 accumulation in the memory.
//
// The Tensor engine's ports overwrite or read-add-write a row of fp32 words; all other ports see plain SRAM.
// Within a cycle reads come first. `sum_marks` checks what PSUM allows.
module psum
  import core_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned TensorPorts = 2,
  parameter int unsigned Beats       = 1
) (
  input  logic      clk_i,
  // Tensor engine: a result row, overwriting or accumulating
  input  logic      [TensorPorts-1:0] acc_we_i,
  input  psum_row_t acc_addr_i [TensorPorts],
  input  logic      [TensorPorts-1:0] acc_add_i,
  input  row_t [TensorPorts-1:0] acc_data_i,
  input  mask_t [TensorPorts-1:0] acc_mask_i,
  output logic      [TensorPorts-1:0] acc_nan_o,  // the row written at the last edge holds a NaN
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
  input  logic      [Beats-1:0] beat_re_i,
  input  psum_row_t beat_raddr_i [Beats],
  input  lane_t     beat_rlane_i [Beats],
  output beat_t [Beats-1:0] beat_rdata_o,
  input  logic      [Beats-1:0] beat_we_i,
  input  psum_row_t beat_waddr_i [Beats],
  input  lane_t     beat_wlane_i [Beats],
  input  beat_t     [Beats-1:0] beat_wdata_i,
  input  strobe_t   [Beats-1:0] beat_strobe_i,
  // Bits that change: before the accesses of the cycle (error correction), at its end (upset)
  input  logic      [Upsets-1:0] fix_valid_i,
  input  upset_t    [Upsets-1:0] fix_i,
  input  upset_t    upset_i
);

  row_t sum;
  logic found;
  // The debug back door of the simulation wrapper writes it as well.
  row_t mem_q [PsumRows] /* verilator public_flat_rw */;

  // Data that was read last. Registers that few cycles write are arrays, because the simulator keeps a second
  // copy of other registers.
  row_t  rdata_q [1];
  beat_t beat_q [Beats];
  assign rdata_o = rdata_q[0];
  for (genvar p = 0; p < Beats; p++) begin : g_beat
    assign beat_rdata_o[p] = beat_q[p];
  end

  beat_t beat;
  psum_row_t beat_row;

  // One process owns the memory, so its writes are immediate; see docs/rtl-style.md.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (fix_valid_i != '0) begin
      for (int unsigned u = 0; u < Upsets; u++) begin
        if (fix_valid_i[u]) mem_q[psum_row_t'(fix_i[u].row)][fix_i[u].lane] = mem_q[psum_row_t'(fix_i[u].row)][fix_i[u].lane] ^ fix_i[u].flips.word;
      end
    end
    if (re_i) rdata_q[0] <= mem_q[raddr_i];
    for (int unsigned p = 0; p < Beats; p++) begin
      if (beat_re_i[p]) begin
        for (int unsigned w = 0; w < BeatWords; w++) beat[w] = mem_q[beat_raddr_i[p] + psum_row_t'(w)][beat_rlane_i[p]];
        beat_q[p] <= beat;
      end
    end
    for (int unsigned p = 0; p < TensorPorts; p++) begin
      found = 1'b0;
      if (acc_we_i[p]) begin
        sum = acc_data_i[p];
        if (acc_add_i[p]) psum_lane_pkg::psum_add_row(sum, mem_q[acc_addr_i[p]], acc_data_i[p]);
        row_pkg::merge_row(mem_q[acc_addr_i[p]], mem_q[acc_addr_i[p]], sum, 4'hf, acc_mask_i[p]);
        nan_lane_pkg::any_nan(found, sum, acc_mask_i[p], nan_lane_pkg::format_of(isa_pkg::DtypeFp32));
      end
      acc_nan_o[p] <= found;
    end
    if (we_i) row_pkg::merge_row(mem_q[waddr_i], mem_q[waddr_i], wdata_i, be_i, wmask_i);
    for (int unsigned p = 0; p < Beats; p++) begin
      if (beat_we_i[p]) begin
        for (int unsigned w = 0; w < BeatWords; w++) begin
          beat_row = beat_waddr_i[p] + psum_row_t'(w);
          mem_q[beat_row][beat_wlane_i[p]] = memory_pkg::merge_word(mem_q[beat_row][beat_wlane_i[p]], beat_wdata_i[p][w],
                                                                    beat_strobe_i[p][4*w+:4]);
        end
      end
    end
    if (upset_i.valid) mem_q[psum_row_t'(upset_i.row)][upset_i.lane] = mem_q[psum_row_t'(upset_i.row)][upset_i.lane] ^ upset_i.flips.word;
  end
  /* verilator lint_on BLKSEQ */

  `ifndef SYNTHESIS
  localparam int unsigned BeatBits = $clog2(BeatWords);
  always_ff @(posedge clk_i) begin
    EnablesKnown: assert (!$isunknown({acc_we_i, re_i, we_i, beat_re_i, beat_we_i, fix_valid_i, upset_i.valid}));
    for (int unsigned p = 0; p < TensorPorts; p++) begin
      if (acc_we_i[p]) begin
        ResultKnown: assert (!$isunknown({acc_addr_i[p], acc_add_i[p], acc_mask_i[p], acc_data_i[p]}));
        ResultHasPartitions: assert (acc_mask_i[p] != '0);
      end
    end
    if (we_i) begin
      WriteKnown: assert (!$isunknown({waddr_i, be_i, wmask_i, wdata_i}));
    end
    if ({beat_re_i, beat_we_i} != '0) begin
      for (int unsigned b = 0; b < Beats; b++) begin
        if (beat_we_i[b]) begin
          BeatKnown: assert (!$isunknown({beat_waddr_i[b], beat_wlane_i[b], beat_wdata_i[b], beat_strobe_i[b]}));
          RowOrBeat: assert (!(we_i && beat_waddr_i[b] >> BeatBits == waddr_i >> BeatBits && wmask_i[beat_wlane_i[b]] &&
                               (be_i & beat_strobe_i[b][4*waddr_i[BeatBits-1:0]+:4]) != '0));
        end
        for (int unsigned o = 0; o < b; o++) begin
          OneReadASlice: assert (!(beat_re_i[b] && beat_re_i[o] && slice_of(beat_rlane_i[b]) == slice_of(beat_rlane_i[o])));
          OneWriteASlice: assert (!(beat_we_i[b] && beat_we_i[o] && slice_of(beat_wlane_i[b]) == slice_of(beat_wlane_i[o])));
        end
      end
    end
  end
  `endif

endmodule
