// Events of one engine on their way to the notification queue, up to two in a cycle. Events that find no room
// are dropped, and the next event that has room says so.
module notification_fifo
  import control_pkg::*;
#(
  parameter int unsigned Depth = 16
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [63:0] timestamp_i,
  input  logic       clear_i,  // forgets that something was dropped
  input  logic [1:0] push_i,  // the first one is the older
  input  event_t     event_i [2],  // the FIFO fills in the time
  output logic [1:0] dropped_o,
  output logic       valid_o,
  output event_t     event_o,
  input  logic       pop_i
);

  localparam int unsigned IndexBits = $clog2(Depth);
  typedef logic [IndexBits-1:0] index_t;
  typedef logic [IndexBits:0]   count_t;

  event_t event_q [Depth];
  index_t write_q, read_q;
  count_t held_q;
  logic   lost_q;

  logic first, second;
  logic [1:0] taken;
  assign first     = push_i[0] & held_q != count_t'(Depth);
  assign second    = push_i[1] & held_q + count_t'(first) < count_t'(Depth);
  assign taken     = {second, first};
  assign dropped_o = push_i & ~taken;

  assign valid_o = held_q != '0;
  assign event_o = event_q[read_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      held_q  <= '0;
      lost_q  <= 1'b0;
    end else begin
      write_q <= write_q + index_t'(taken[0]) + index_t'(taken[1]);
      read_q  <= read_q + index_t'(pop_i);
      held_q  <= held_q + count_t'(taken[0]) + count_t'(taken[1]) - count_t'(pop_i);
      lost_q  <= !clear_i & (dropped_o != '0 | (lost_q & taken == '0));
    end
  end

  // One process owns the memory, so its writes are immediate; see docs/rtl-style.md.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (taken[0]) begin
      event_q[write_q]      = event_i[0];
      event_q[write_q].lost = lost_q;
      event_q[write_q].at   = timestamp_i;
    end
    if (taken[1]) begin
      event_q[write_q + index_t'(taken[0])]      = event_i[1];
      event_q[write_q + index_t'(taken[0])].lost = lost_q & !taken[0];
      event_q[write_q + index_t'(taken[0])].at   = timestamp_i;
    end
  end
  /* verilator lint_on BLKSEQ */

  if (2**IndexBits != Depth) begin : g_depth
    $error("the depth must be a power of two");
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      PopNeedsEvent: assert (!pop_i || valid_o);
      HeldInBounds: assert (held_q <= count_t'(Depth));
      InputsKnown: assert (!$isunknown({push_i, pop_i}));
    end
  end
  `endif

endmodule
