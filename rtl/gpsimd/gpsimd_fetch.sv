// Instruction fetch: lines of the TCM in a direct-mapped buffer; the next line is fetched ahead; branches are
// predicted not taken.
//
// Stores do not reach the buffer; fence.i empties it.
module gpsimd_fetch
  import gpsimd_pkg::*;
#(
  parameter int unsigned Lines = 128  // lines of one beat each
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // Starts anew at target_i; flush_i also empties the buffer.
  input  logic        redirect_i,
  input  logic [31:0] target_i,
  input  logic        flush_i,

  // Instructions in order.
  output logic        valid_o,
  output logic [31:0] pc_o,
  output logic [31:0] insn_o,
  output logic        fault_o,
  input  logic        ready_i,

  // Lines.
  output logic        req_o,
  output tcm_beat_t   beat_o,
  input  logic        gnt_i,
  input  logic        rvalid_i,
  input  beat_t       rdata_i
);

  localparam int unsigned IndexBits = $clog2(Lines);
  typedef logic [TcmBeatBits-IndexBits-1:0] tag_t;
  typedef struct packed {
    tag_t                 tag;
    logic [IndexBits-1:0] index;
  } address_t;  // a beat of the TCM, as the lines see it

  logic [31:0]      pc_q;
  logic             stopped_q;  // stopped at an address without memory
  logic             valid_q, fault_q;
  logic [31:0]      out_pc_q, insn_q;
  beat_t            line_q [Lines];
  tag_t             tag_q [Lines];
  logic [Lines-1:0] present_q;
  logic             filling_q, drop_q;  // drop_q: the line under way is outdated
  address_t         fill_q;

  address_t  here, ahead;
  logic      hit, hit_ahead, fault;
  assign here = pc_q[6+:TcmBeatBits];
  assign ahead = here + 1'b1;
  assign fault = ~in_tcm(pc_q);
  assign hit = present_q[here.index] & (tag_q[here.index] == here.tag) & ~fault;
  assign hit_ahead = present_q[ahead.index] & (tag_q[ahead.index] == ahead.tag);

  assign req_o  = ~filling_q & ~fault & ~stopped_q & ~flush_i & (~hit | ~hit_ahead);
  assign beat_o = hit ? ahead : here;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pc_q      <= TcmBase;
      stopped_q <= 1'b1;  // stopped until the first redirect
      valid_q   <= 1'b0;
      fault_q   <= 1'b0;
      out_pc_q  <= '0;
      insn_q    <= '0;
      present_q <= '0;
      filling_q <= 1'b0;
      drop_q    <= 1'b0;
      fill_q    <= '0;
    end else begin
      if (redirect_i) begin
        pc_q      <= target_i;
        valid_q   <= 1'b0;
        stopped_q <= 1'b0;
      end else if (!valid_q || ready_i) begin
        valid_q <= (hit | fault) & ~stopped_q;
        if ((hit || fault) && !stopped_q) begin
          out_pc_q  <= pc_q;
          insn_q    <= line_q[here.index][{pc_q[5:2], 5'b0}+:32];
          fault_q   <= fault;
          stopped_q <= fault;
          pc_q      <= pc_q + 32'd4;
        end
      end

      if (req_o && gnt_i) begin
        filling_q <= 1'b1;
        fill_q    <= beat_o;
      end
      if (rvalid_i) begin
        filling_q <= 1'b0;
        drop_q    <= 1'b0;
        if (!drop_q && !flush_i) begin
          line_q[fill_q.index] <= rdata_i;
          tag_q[fill_q.index] <= fill_q.tag;
          present_q[fill_q.index] <= 1'b1;
        end
      end
      if (flush_i) begin
        present_q <= '0;
        drop_q    <= filling_q & ~rvalid_i;
      end
    end
  end

  assign valid_o = valid_q;
  assign pc_o    = out_pc_q;
  assign insn_o  = insn_q;
  assign fault_o = fault_q;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      TargetAligned: assert (!redirect_i || target_i[1:0] == '0);
      LineWasAskedFor: assert (!rvalid_i || filling_q);
      OutputKnown: assert (!valid_o || !$isunknown({pc_o, insn_o, fault_o}));
      RequestKnown: assert (!$isunknown({req_o, valid_o}));
    end
  end
  `endif

endmodule
