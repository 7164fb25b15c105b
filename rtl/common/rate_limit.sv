// Limits a flow of elements to Num in Den cycles. The element with number i of a sequence, counted from 0, may
// go i * Den / Num cycles after the first one, rounded down; the first one of the next sequence waits as if it
// belonged to this one. What is not used is lost.
module rate_limit #(
  parameter int unsigned Num = 1,
  parameter int unsigned Den = 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic enable_i,  // a cycle passes; without it an element must not go
  input  logic take_i,    // an element goes
  input  logic first_i,   // it is the first one of a sequence
  output logic ready_o    // an element may go
);

  localparam int unsigned Full  = Den + Num - 1;
  localparam int unsigned Width = $clog2(Full + Num + 1);
  typedef logic [Width-1:0] level_t;

  // An element costs Den, and Num come back in a cycle.
  level_t level_q, left, filled;

  assign ready_o = level_q >= level_t'(Den);

  always_comb begin
    left = level_q;
    if (take_i) left = first_i ? level_t'(Num - 1) : level_q - level_t'(Den);
  end
  assign filled = left + level_t'(Num);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)       level_q <= level_t'(Full);
    else if (enable_i) level_q <= filled > level_t'(Full) ? level_t'(Full) : filled;
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      TakeOnlyReady: assert (take_i -> ready_o & enable_i);
      NeverAboveFull: assert (level_q <= level_t'(Full));
    end
  end
  `endif

endmodule
