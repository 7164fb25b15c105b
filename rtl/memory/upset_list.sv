// Error correction of a memory. A word is stored with the check bits of ecc_pkg. As the code is linear, the
// result of a decoder depends only on the bits that have changed since the word was written. So the check
// bits are not kept, but a list of the words with an upset, each with its changed bits. Reading such a word
// corrects one changed bit, also in the memory, in the cycle of the read; two changed bits are reported and
// stay until the word is written.
//
// A row port reads all partitions of its row, a GpSimd core all of its own. A write of some bytes of a word
// reads the word, and so does adding.
module upset_list
  import core_pkg::*;
  import memory_pkg::*;
  import row_port_pkg::slice_req_t;
#(
  parameter int unsigned Reads  = 1,
  parameter int unsigned Writes = 1,
  parameter int unsigned Beats  = 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Accesses of the cycle, each with its source
  input  logic [Reads-1:0]      re_i,
  input  memory_row_t           raddr_i [Reads],
  input  master_t               reader_i [Reads],
  input  logic [Writes-1:0]     we_i,
  input  memory_row_t           waddr_i [Writes],
  input  logic [3:0]            be_i [Writes],
  input  mask_t [Writes-1:0]    wmask_i,
  input  master_t               writer_i [Writes],
  input  slice_req_t [GpsimdCores-1:0]    slice_req_i,  // accesses of the GpSimd cores
  input  slice_strobe_t [GpsimdCores-1:0] slice_wstrobe_i,
  input  logic [Beats-1:0]      beat_re_i,
  input  bus_pkg::target_t      beat_read_i [Beats],
  input  logic [Beats-1:0]      beat_we_i,
  input  bus_pkg::target_t      beat_write_i [Beats],
  input  strobe_t [Beats-1:0]   beat_strobe_i,
  input  number_t [4:0]            oldest_i,  // oldest instruction of each engine
  // Bits of a word that change at the end of the cycle. An upset is not taken while there is no room.
  input  upset_t                upset_i,
  output logic                  room_o,
  // Bits of the memory that change before the accesses of this cycle
  output logic [Upsets-1:0]     fix_valid_o,
  output upset_t [Upsets-1:0]   fix_o,
  output events_t               corrected_o,
  output events_t               uncorrected_o,
  output fault_t                fault_o
);

  localparam int unsigned BeatBits = $clog2(BeatWords);
  localparam master_t     Gpsimd   = master_t'(isa_pkg::EngineGpsimd);

  upset_t [Upsets-1:0] list_q;
  logic   [Upsets-1:0] used, read, written, corrected, bad;
  master_t [Upsets-1:0] master;
  logic                any;     // there are words with an upset
  logic                access;  // there is a read or write

  for (genvar u = 0; u < Upsets; u++) begin : g_used
    assign used[u] = list_q[u].valid;
  end
  assign room_o  = used != '1;
  assign any     = used != '0;

  always_comb begin
    access = re_i != '0 | we_i != '0 | beat_re_i != '0 | beat_we_i != '0;
    for (int unsigned k = 0; k < GpsimdCores; k++) access |= slice_req_i[k].re | slice_req_i[k].we;
  end

  function automatic logic in_beat(lane_t lane, memory_row_t row, lane_t beat_lane, memory_row_t beat_row);
    return lane == beat_lane & row >> BeatBits == beat_row >> BeatBits;
  endfunction

  ecc_pkg::decoded_t decoded;
  logic [3:0]        strobe;
  logic              in_slice;
  always_comb begin
    read      = '0;
    written   = '0;
    corrected = '0;
    bad       = '0;
    master    = '0;
    fix_o     = '0;
    decoded   = '0;
    strobe    = '0;
    in_slice  = 1'b0;
    if (any & access) begin
      for (int unsigned u = 0; u < Upsets; u++) begin
        if (used[u]) begin
          for (int unsigned p = 0; p < Reads; p++) begin
            if (re_i[p] & raddr_i[p] == list_q[u].row) begin
              read[u]   = 1'b1;
              master[u] = reader_i[p];
            end
          end
          for (int unsigned p = 0; p < Writes; p++) begin
            if (we_i[p] & waddr_i[p] == list_q[u].row & wmask_i[p][list_q[u].lane]) begin
              written[u] = 1'b1;
              if (be_i[p] != '1) begin
                read[u]   = 1'b1;
                master[u] = writer_i[p];
              end
            end
          end
          for (int unsigned k = 0; k < GpsimdCores; k++) begin
            in_slice = 32'(list_q[u].lane) / SliceWords == k;
            strobe   = slice_wstrobe_i[k][4*(32'(list_q[u].lane)%SliceWords)+:4];
            if (in_slice & slice_req_i[k].we & slice_req_i[k].waddr == list_q[u].row & strobe != '0) begin
              written[u] = 1'b1;
              if (strobe != '1) begin
                read[u]   = 1'b1;
                master[u] = Gpsimd;
              end
            end
            if (in_slice & slice_req_i[k].re & slice_req_i[k].exists & slice_req_i[k].raddr == list_q[u].row) begin
              read[u]   = 1'b1;
              master[u] = Gpsimd;
            end
          end
          for (int unsigned p = 0; p < Beats; p++) begin
            strobe = beat_strobe_i[p][4*list_q[u].row[BeatBits-1:0]+:4];
            if (beat_we_i[p] & in_beat(list_q[u].lane, list_q[u].row, beat_write_i[p].lane, beat_write_i[p].row) & strobe != '0) begin
              written[u] = 1'b1;
              if (strobe != '1) begin
                read[u]   = 1'b1;
                master[u] = MasterBus;
              end
            end
            if (beat_re_i[p] & in_beat(list_q[u].lane, list_q[u].row, beat_read_i[p].lane, beat_read_i[p].row)) begin
              read[u]   = 1'b1;
              master[u] = MasterBus;
            end
          end
          decoded = ecc_pkg::decode(list_q[u].flips);
          bad[u]       = read[u] & decoded.uncorrectable;
          corrected[u] = read[u] & decoded.corrected;
          fix_o[u]             = list_q[u];
          fix_o[u].flips.word  = list_q[u].flips.word ^ decoded.word;
          fix_o[u].flips.check = '0;
        end
      end
    end
  end

  assign fix_valid_o = corrected;

  // Words of the list that are still there after this cycle.
  logic [Upsets-1:0] stays, again;
  assign stays = used & ~written & ~corrected;
  for (genvar u = 0; u < Upsets; u++) begin : g_again
    assign again[u] = stays[u] & list_q[u].row == upset_i.row & list_q[u].lane == upset_i.lane;
  end
  logic [Upsets-1:0] free, put;
  assign free = ~used & (used + 1'b1);  // the first free entry
  assign put  = !upset_i.valid ? '0 : again != '0 ? again : free;

  // The clock of the list stops while there is no upset.
  logic list_clk;
  clock_gate u_list_gate (.clk_i, .en_i(any | upset_i.valid), .clk_o(list_clk));

  always_ff @(posedge list_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      list_q        <= '0;
      corrected_o   <= '0;
      uncorrected_o <= '0;
      fault_o       <= '0;
    end else begin
      for (int unsigned u = 0; u < Upsets; u++) begin
        if (put[u]) begin
          list_q[u]       <= upset_i;
          list_q[u].flips <= again[u] ? list_q[u].flips ^ upset_i.flips : upset_i.flips;
          list_q[u].valid <= again[u] ? list_q[u].flips != upset_i.flips : upset_i.flips != '0;
        end else begin
          list_q[u].valid <= stays[u];
        end
      end
      if (corrected != '0) corrected_o <= plus(corrected_o, events_t'($countones(corrected)));
      if (bad != '0) uncorrected_o <= plus(uncorrected_o, events_t'($countones(bad)));
      for (int unsigned u = Upsets; u > 0; u--) begin
        if (bad[u-1] & !fault_o.valid) begin
          fault_o <= '{valid: 1'b1, code: isa_pkg::ErrorUncorrectable, master: master[u-1],
                       tag: master[u-1] == MasterBus ? '0 : oldest_i[master[u-1]], lane: list_q[u-1].lane, row: list_q[u-1].row};
        end
      end
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge list_clk or negedge rst_ni) begin
    if (rst_ni) begin
      UpsetHasRoom: assert (upset_i.valid -> room_o);
      OneEntryAWord: assert ($onehot0(again));
      FixKnown: assert (!$isunknown({used, corrected, bad}));
    end
  end
  `endif

endmodule
