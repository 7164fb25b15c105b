// Watches for reads of words that nothing has written since reset, in simulation. A word counts as written
// once one of its bytes is written. Reads of the bus and of GpSimd cores are not watched, because a beat does
// not say which of its words are wanted.
module read_watch
  import core_pkg::*;
  import memory_pkg::*;
  import row_port_pkg::slice_req_t;
#(
  parameter int unsigned Rows   = 1,
  parameter int unsigned Reads  = 1,
  parameter int unsigned Writes = 1,
  parameter int unsigned Beats  = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Row accesses of the engines: the wanted partitions, and the engine that reads them
  input  logic [Reads-1:0]    re_i,
  input  memory_row_t         raddr_i [Reads],
  input  partitions_t         rparts_i [Reads],
  input  master_t             reader_i [Reads],
  input  logic [Writes-1:0]   we_i,
  input  memory_row_t         waddr_i [Writes],
  input  mask_t [Writes-1:0]  wmask_i,
  input  slice_req_t [GpsimdCores-1:0]    slice_req_i,  // accesses of the GpSimd cores
  input  slice_strobe_t [GpsimdCores-1:0] slice_wstrobe_i,
  input  logic [Beats-1:0]    beat_we_i,
  input  bus_pkg::target_t    beat_write_i [Beats],
  input  strobe_t [Beats-1:0] beat_strobe_i,
  output unwritten_t          unwritten_o
);

  localparam int unsigned RowBits = $clog2(Rows);
  typedef logic [RowBits-1:0] row_index_t;

  // The debug back door of the simulation wrapper sets it as well.
  mask_t written_q [Rows] /* verilator public_flat_rw */;

  // Masks of the ports' last reads: most reads want the same partitions as the previous one.
  partitions_t parts_q [Reads];
  mask_t       mask_q [Reads];

  mask_t      unwritten;
  unwritten_t seen;
  row_index_t row;

  // One process owns the marks, so its writes are immediate; see docs/rtl-style.md.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned r = 0; r < Rows; r++) written_q[r] = '0;
      for (int unsigned p = 0; p < Reads; p++) begin
        parts_q[p] = '0;
        mask_q[p]  = '0;
      end
      unwritten_o <= '0;
    end else begin
      if (re_i != '0) begin
        seen = unwritten_o;
        for (int unsigned p = 0; p < Reads; p++) begin
          if (re_i[p]) begin
            if (rparts_i[p] != parts_q[p]) begin
              parts_q[p] = rparts_i[p];
              mask_q[p]  = mask_of(rparts_i[p]);
            end
            unwritten = mask_q[p] & ~written_q[row_index_t'(raddr_i[p])];
            if (unwritten != '0) begin
              if (seen.words == '0) begin
                seen.master = reader_i[p];
                seen.lane   = lowest(unwritten);
                seen.row    = raddr_i[p];
              end
              seen.words = seen.words + 32'($countones(unwritten));
            end
          end
        end
        unwritten_o <= seen;
      end
      for (int unsigned p = 0; p < Writes; p++) begin
        if (we_i[p]) written_q[row_index_t'(waddr_i[p])] = written_q[row_index_t'(waddr_i[p])] | wmask_i[p];
      end
      for (int unsigned k = 0; k < GpsimdCores; k++) begin
        if (slice_req_i[k].we) begin
          for (int unsigned w = 0; w < SliceWords; w++) begin
            if (slice_wstrobe_i[k][4*w+:4] != '0 && SliceWords * k + w < cfg_pkg::Lanes) written_q[row_index_t'(slice_req_i[k].waddr)][lane_t'(SliceWords*k+w)] = 1'b1;
          end
        end
      end
      for (int unsigned p = 0; p < Beats; p++) begin
        if (beat_we_i[p]) begin
          for (int unsigned w = 0; w < BeatWords; w++) begin
            row = row_index_t'(beat_write_i[p].row) + row_index_t'(w);
            if (beat_strobe_i[p][4*w+:4] != '0) written_q[row][beat_write_i[p].lane] = 1'b1;
          end
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
