// Walks a 4-D address pattern: one byte address per element, dimension 0 innermost.
//
// Each dimension keeps the address at which its current turn began, so a step is one addition. Addresses are
// offsets within a partition and wrap at 2^AddrBits; the user of a pattern has checked that it stays within
// the memory.
module ap_iterator #(
  parameter int unsigned AddrBits = 18,
  parameter int unsigned StepBits = 16  // more than 16 where steps are multiples of those of an instruction
) (
  input  logic clk_i,
  input  logic rst_ni,

  // New pattern: counts (none may be 0) and steps of dimensions 0 to 3; steps are signed, in elements of 1 <<
  // size_i bytes. It is taken when nothing is left or together with the last advance_i.
  input  logic                     load_i,
  input  logic [3:0][15:0]         count_i,
  input  logic [3:0][StepBits-1:0] step_i,
  input  logic [1:0]               size_i,
  input  logic [AddrBits-1:0]      start_i,

  // Current element; advance_i moves on to the next.
  output logic                valid_o,
  output logic [AddrBits-1:0] addr_o,
  output logic                last_o,
  input  logic                advance_i
);

  typedef logic [AddrBits-1:0] addr_t;

  logic             valid_q;
  logic [3:0][15:0] count_q;  // counts of the pattern
  logic [3:0][15:0] left_q;   // turns left after the current one
  addr_t [3:0]      step_q;   // bytes
  addr_t [3:0]      base_q;   // where the current turn of each dimension began

  // The innermost dimension with a turn left takes a step; those inside it start again.
  logic [1:0] moving;
  addr_t      next;  // next address of any dimension but the innermost
  assign last_o = (left_q == '0);
  assign moving = (left_q[0] != '0) ? 2'd0 : (left_q[1] != '0) ? 2'd1 : (left_q[2] != '0) ? 2'd2 : 2'd3;
  assign next   = (moving == 2'd1) ? base_q[1] + step_q[1] : (moving == 2'd2) ? base_q[2] + step_q[2] : base_q[3] + step_q[3];

  // There are no next-state signals: the simulator would compute them in cycles without a step as well; see
  // docs/rtl-style.md.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      count_q <= '0;
      left_q  <= '0;
      step_q  <= '0;
      base_q  <= '0;
    end else if (load_i) begin
      valid_q <= 1'b1;
      count_q <= count_i;
      for (int unsigned k = 0; k < 4; k++) begin
        left_q[k] <= count_i[k] - 16'd1;
        step_q[k] <= AddrBits'({{32{step_i[k][StepBits-1]}}, step_i[k]} << size_i);
        base_q[k] <= start_i;
      end
    end else if (advance_i && last_o) begin
      valid_q <= 1'b0;
    end else if (advance_i && moving == 2'd0) begin
      left_q[0] <= left_q[0] - 16'd1;
      base_q[0] <= base_q[0] + step_q[0];
    end else if (advance_i) begin
      for (int unsigned k = 0; k < 4; k++) begin
        if (2'(k) < moving) left_q[k] <= count_q[k] - 16'd1;
        if (2'(k) == moving) left_q[k] <= left_q[k] - 16'd1;
        if (2'(k) <= moving) base_q[k] <= next;
      end
    end
  end

  assign valid_o = valid_q;
  assign addr_o  = base_q[0];

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      AdvanceNeedsElement: assert (advance_i -> valid_q);
      LoadReplacesNothing: assert ((load_i && valid_q) -> (advance_i && last_o));
      LoadHasCounts: assert (load_i -> (count_i[0] != '0 && count_i[1] != '0 && count_i[2] != '0 && count_i[3] != '0));
      ValidKnown: assert (!$isunknown(valid_o));
      AddrKnown: assert (valid_o -> !$isunknown({addr_o, last_o}));
    end
  end
  `endif

endmodule
