// Accepts instructions, waits for their setup time, and starts their streams in order.
//
// A stream starts when its setup is over and MinInterval has passed since the previous start. No write under
// way may reach the memory that it reads, one of the Banks of execution state must be free, and it must not
// need a port that goes to another engine next. The operands start one by one as their sources become free,
// so that streams follow each other without a gap.
//
// An instruction that reads a result of one still under way has to wait with its access start-up: that begins
// when the earlier one has written its last result and its MinInterval is over, and takes DependentLatency.
module elementwise_issue
  import row_port_pkg::*;
  import elementwise_pkg::*;
#(
  parameter type control_t = logic,              // control of the engine for an instruction's elements
  parameter int unsigned IssueLatency     = 60,  // cycles from issue to the first read
  parameter int unsigned DependentLatency = 0    // cycles from the result that a read depends on to the read
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Instructions.
  input  logic      valid_i,
  output logic      ready_o,
  input  operands_t operands_i,
  input  control_t  control_i,

  // The instruction at the head and the start of its operands a and b.
  output operands_t  operands_o,
  output control_t   control_o,
  output logic [1:0] start_source_o,
  input  logic [1:0] source_ready_i,

  // Start of execution: the head goes to bank_o; done_i frees the oldest bank in use.
  output logic start_o,
  output logic bank_o,
  input  logic done_i,

  // Reads of the head's [partitions,1] immediates; the index is the number of the immediate.
  output logic imm_re_o,
  output logic imm_index_o,
  input  logic imm_gnt_i,

  // Ports that an instruction about to start or under way needs, and ports that go to another engine next.
  // busy_o: there is an instruction.
  output row_claim_t sbuf_claim_o,
  output row_claim_t psum_claim_o,
  input  logic       hold_sbuf_i,
  input  logic       hold_psum_i,
  output logic       busy_o
);

  // Number of instructions in setup, so large that a stream of the shortest instructions hides the issue
  // latency.
  localparam int unsigned SetupDepth = IssueLatency / MinInterval + 1;
  localparam int unsigned SetupCycles = IssueLatency > 2 ? IssueLatency - 2 : 0;
  localparam int unsigned RestartCycles = DependentLatency + MinInterval;
  localparam int unsigned SetupBits = $clog2((SetupCycles > RestartCycles ? SetupCycles : RestartCycles) + 2);
  localparam int unsigned SlotBits = SetupDepth > 1 ? $clog2(SetupDepth) : 1;
  typedef logic [SetupBits-1:0] setup_t;
  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [$clog2(SetupDepth + 1)-1:0] fill_t;

  function automatic slot_t next_slot(slot_t slot);
    return int'(slot) == SetupDepth - 1 ? '0 : slot + slot_t'(1);
  endfunction

  // ------------------------------------------------------------------------------------------------ instructions in setup
  operands_t  operands_q [SetupDepth];
  control_t   control_q [SetupDepth];
  regions_t   regions_q [SetupDepth];
  setup_t     setup_q [SetupDepth];  // cycles left
  slot_t      head_q, tail_q, fresh_slot_q;
  fill_t      fill_q;
  logic       fresh_q;  // the newest entry has no regions yet
  logic       accept, pop;

  // Instructions under way, by bank, and cycles until the next start is allowed.
  typedef struct packed {
    logic    sbuf;
    logic    psum;
    region_t dst;
  } under_way_t;

  under_way_t bank_state_q [Banks];
  logic [1:0] bank_busy_q;
  logic       bank_q, oldest_q;
  logic [5:0] interval_d, interval_q;

  // Start-up time of an instruction that depends on the one that is done now. The rest of the interval counts
  // only if it belongs to that one.
  setup_t restart;
  assign restart = setup_t'(DependentLatency)
                 + ((bank_busy_q[~oldest_q] || interval_q == '0) ? '0 : setup_t'(interval_q) - setup_t'(1));

  assign ready_o = fill_q != fill_t'(SetupDepth);
  assign accept  = valid_i & ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q       <= '0;
      tail_q       <= '0;
      fill_q       <= '0;
      fresh_q      <= 1'b0;
      fresh_slot_q <= '0;
      for (int unsigned k = 0; k < SetupDepth; k++) setup_q[k] <= '0;
    end else begin
      fill_q  <= fill_q + fill_t'(accept) - fill_t'(pop);
      fresh_q <= accept;
      if (pop) head_q <= next_slot(head_q);
      if (accept) begin
        tail_q       <= next_slot(tail_q);
        fresh_slot_q <= tail_q;
      end
      for (int unsigned k = 0; k < SetupDepth; k++) begin
        if (accept && int'(tail_q) == k) setup_q[k] <= setup_t'(SetupCycles);
        else if (setup_q[k] != '0)       setup_q[k] <= setup_q[k] - setup_t'(1);
        if (done_i && restart >= setup_q[k] && !(fresh_q && int'(fresh_slot_q) == k) && !(accept && int'(tail_q) == k)) begin
          if (reads_region(regions_q[k], bank_state_q[oldest_q].dst)) setup_q[k] <= restart;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept) begin
      operands_q[tail_q] <= operands_i;
      control_q[tail_q]  <= control_i;
    end
    if (fresh_q) regions_q[fresh_slot_q] <= operand_regions(operands_q[fresh_slot_q]);
  end

  // If there is only one entry, there is nothing to choose.
  slot_t head;
  assign head       = SetupDepth == 1 ? '0 : head_q;
  assign operands_o = operands_q[head];
  assign control_o  = control_q[head];

  // ------------------------------------------------------------------------------------------------- instructions under way
  under_way_t head_state;

  assign bank_o = bank_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bank_busy_q <= '0;
      bank_q      <= 1'b0;
      oldest_q    <= 1'b0;
    end else begin
      if (start_o) bank_busy_q[bank_q] <= 1'b1;
      if (done_i) bank_busy_q[oldest_q] <= 1'b0;
      bank_q   <= bank_q ^ pop;
      oldest_q <= oldest_q ^ done_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_o) bank_state_q[bank_q] <= head_state;
  end

  // ---------------------------------------------------------------------------------------------------- start of the head
  logic [1:0] started_d, started_q;      // operands of the head that have started
  logic [1:0] imm_left_d, imm_left_q;    // immediates of the head that have not been read yet
  logic       imm_known_d, imm_known_q;  // imm_left_q belongs to the head
  logic [1:0] uses, imm_vectors, imm_read;
  logic       ready, able, held, may_read, may_start;
  region_t    writing;

  assign imm_vectors = {operands_o.imm[1].is_vector, operands_o.imm[0].is_vector};
  assign head_state  = '{
    sbuf: (operands_o.reads_a & ~operands_o.a.psum) | (operands_o.uses_b & ~operands_o.b.psum)
          | (~operands_o.dst.psum & ~operands_o.no_dst) | (imm_vectors != '0),
    psum: (operands_o.reads_a & operands_o.a.psum) | (operands_o.uses_b & operands_o.b.psum) | operands_o.dst.psum,
    dst:  regions_q[head].dst
  };

  // Once one operand has started, the bank belongs to the head and nothing delays the other operand.
  assign ready    = (fill_q != '0) & (setup_q[head] == '0) & ~(fresh_q & (fresh_slot_q == head_q));
  assign writing  = bank_state_q[~bank_q].dst;
  assign able     = ready & ~bank_busy_q[bank_q] & ~(bank_busy_q[~bank_q] & reads_region(regions_q[head], writing));
  assign held     = (hold_sbuf_i & head_state.sbuf) | (hold_psum_i & head_state.psum);
  assign may_read = able & ~held;

  assign imm_re_o    = imm_known_q & (imm_left_q != '0);
  assign imm_index_o = ~imm_left_q[0];
  assign imm_read    = {imm_gnt_i & imm_index_o, imm_gnt_i & ~imm_index_o};
  assign may_start   = may_read & (interval_q == '0)
                     & ((imm_vectors == '0) | (imm_known_q & ((imm_left_q & ~imm_read) == '0)));

  assign uses           = {operands_o.uses_b, 1'b1};
  assign start_o        = may_start & ((source_ready_i & uses) != '0);
  assign start_source_o = {2{start_o | (started_q != '0)}} & source_ready_i & uses & ~started_q;
  assign started_d      = started_q | start_source_o;
  assign pop            = started_d == uses;

  always_comb begin
    imm_left_d  = imm_left_q & ~imm_read;
    imm_known_d = imm_known_q;
    if (may_read && !imm_known_q) begin
      imm_left_d  = imm_vectors;
      imm_known_d = 1'b1;
    end
    if (pop) imm_known_d = 1'b0;

    interval_d = interval_q;
    if (start_o)               interval_d = 6'(MinInterval - 1);
    else if (interval_q != '0) interval_d = interval_q - 6'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q   <= '0;
      imm_left_q  <= '0;
      imm_known_q <= 1'b0;
      interval_q  <= '0;
    end else begin
      started_q   <= pop ? '0 : started_d;
      imm_left_q  <= imm_left_d;
      imm_known_q <= imm_known_d;
      interval_q  <= interval_d;
    end
  end

  logic uses_sbuf, uses_psum;
  assign uses_sbuf    = (bank_busy_q & {bank_state_q[1].sbuf, bank_state_q[0].sbuf}) != '0;
  assign uses_psum    = (bank_busy_q & {bank_state_q[1].psum, bank_state_q[0].psum}) != '0;
  assign sbuf_claim_o = '{needs: (able & head_state.sbuf) | uses_sbuf, uses: uses_sbuf};
  assign psum_claim_o = '{needs: (able & head_state.psum) | uses_psum, uses: uses_psum};
  assign busy_o       = (fill_q != '0) | (bank_busy_q != '0);

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      StartNeedsFreeBank: assert (start_o -> !bank_busy_q[bank_q]);
      DoneNeedsBank: assert (done_i -> bank_busy_q[oldest_q]);
      ImmGrantOnlyWhenAsked: assert (imm_gnt_i -> imm_re_o);
      StatusKnown: assert (!$isunknown({ready_o, start_source_o, start_o, imm_re_o, sbuf_claim_o, psum_claim_o, busy_o}));
    end
  end
  handshake_properties u_offer_properties (
    .clk_i, .rst_ni, .valid_i(valid_i), .taken_i(ready_o), .data_i(1'b0)
  );
  `endif

endmodule
