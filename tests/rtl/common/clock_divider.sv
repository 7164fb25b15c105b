// Marks the core-clock edges that are edges of a domain of rational frequency Num/Den: tick_o is high before
// each of them, Num times in Den cycles, evenly spread.
module clock_divider #(
  parameter int unsigned Num = 1,
  parameter int unsigned Den = 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic tick_o
);

  localparam int unsigned Bits = $clog2(2 * Den);
  logic [Bits-1:0] phase_q, phase_d;

  assign phase_d = phase_q + Bits'(Num);
  assign tick_o  = phase_d >= Bits'(Den);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) phase_q <= '0;
    else phase_q <= tick_o ? phase_d - Bits'(Den) : phase_d;
  end

  if (Num == 0 || Num > Den) begin : g_check
    $error("a clock domain runs at 1/n to 1/1 of the core clock");
  end

endmodule
