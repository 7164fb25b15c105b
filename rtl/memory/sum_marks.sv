// Remembers for each word of PSUM whether a matmul wrote it last. A matmul may add only to such words: the
// first matmul of a group overwrites. In the cycle in which a matmul writes a word nothing else may write it,
// and two row groups never write one bank.
module sum_marks
  import core_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned RowGroups = 1,
  parameter int unsigned Sums      = 1,  // column group * RowGroups + row group
  parameter int unsigned Beats     = 1,
  parameter bit          Strict    = 1'b1  // adding to another word is an error, else it is only counted
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Results of matmuls, each with its instruction
  input  logic [Sums-1:0]      sum_we_i,
  input  psum_row_t            sum_addr_i [Sums],
  input  logic [Sums-1:0]      sum_add_i,
  input  mask_t [Sums-1:0]     sum_mask_i,
  input  number_t                 sum_tag_i [Sums],
  // Rows of Vector or Scalar
  input  logic                 we_i,
  input  psum_row_t            waddr_i,
  input  mask_t                wmask_i,
  // Beats
  input  logic [Beats-1:0]     beat_we_i,
  input  bus_pkg::target_t     beat_write_i [Beats],
  input  strobe_t [Beats-1:0]  beat_strobe_i,
  // Number of rows with additions to words that no matmul wrote last
  output events_t              unfounded_o,
  output fault_t               fault_o
);

  localparam int unsigned BankBits = $clog2(PsumRows / cfg_pkg::PsumBanks);
  localparam int unsigned BeatBits = $clog2(BeatWords);

  mask_t summed_q [PsumRows];  // words with a matmul as their last writer

  mask_t     unfounded, shared;
  psum_row_t row;
  fault_t    fault;
  events_t   count;

  // One process owns the marks, so its writes are immediate; see docs/rtl-style.md.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned r = 0; r < PsumRows; r++) summed_q[r] = '0;
      unfounded_o <= '0;
      fault_o     <= '0;
    end else begin
      fault = '0;
      count = unfounded_o;
      for (int unsigned s = 0; s < Sums; s++) begin
        if (sum_we_i[s]) begin
          // Finds the words that another access writes as well.
          shared = we_i & waddr_i == sum_addr_i[s] ? sum_mask_i[s] & wmask_i : '0;
          if (beat_we_i != '0) begin
            for (int unsigned p = 0; p < Beats; p++) begin
              if (beat_we_i[p] & sum_addr_i[s] >> BeatBits == psum_row_t'(beat_write_i[p].row) >> BeatBits &
                  beat_strobe_i[p][4*sum_addr_i[s][BeatBits-1:0]+:4] != '0)
                shared[beat_write_i[p].lane] = sum_mask_i[s][beat_write_i[p].lane];
            end
          end
          for (int unsigned o = 0; o < s; o++) begin
            if (sum_we_i[o] & sum_addr_i[o] >> BankBits == sum_addr_i[s] >> BankBits) begin
              if (o % RowGroups != s % RowGroups) shared = sum_mask_i[s];
              if (sum_addr_i[o] == sum_addr_i[s]) shared = shared | (sum_mask_i[o] & sum_mask_i[s]);
            end
          end
          unfounded = sum_add_i[s] ? sum_mask_i[s] & ~summed_q[sum_addr_i[s]] : '0;
          if (unfounded != '0) count = plus(count, events_t'(1));
          if (Strict & unfounded != '0 & !fault.valid) begin
            fault = '{valid: 1'b1, code: isa_pkg::ErrorPsumAccumulate, master: master_t'(isa_pkg::EngineTensor), tag: sum_tag_i[s],
                      lane: lowest(unfounded), row: memory_row_t'(sum_addr_i[s])};
          end
          if (shared != '0 & !fault.valid) begin
            fault = '{valid: 1'b1, code: isa_pkg::ErrorPsumCollision, master: master_t'(isa_pkg::EngineTensor), tag: sum_tag_i[s],
                      lane: lowest(shared), row: memory_row_t'(sum_addr_i[s])};
          end
        end
      end
      unfounded_o <= count;
      if (fault.valid & !fault_o.valid) fault_o <= fault;

      for (int unsigned s = 0; s < Sums; s++) begin
        if (sum_we_i[s]) begin
          summed_q[sum_addr_i[s]]  = summed_q[sum_addr_i[s]] | sum_mask_i[s];
        end
      end
      if (we_i) begin
        summed_q[waddr_i]  = summed_q[waddr_i] & ~wmask_i;
      end
      for (int unsigned p = 0; p < Beats; p++) begin
        if (beat_we_i[p]) begin
          for (int unsigned w = 0; w < BeatWords; w++) begin
            row = psum_row_t'(beat_write_i[p].row) + psum_row_t'(w);
            if (beat_strobe_i[p][4*w+:4] != '0) summed_q[row][beat_write_i[p].lane]  = 1'b0;
          end
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
