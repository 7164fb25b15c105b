// Integrated clock gate: clk_o follows clk_i in cycles with the enable high before the rising edge.
module clock_gate (
  input  logic clk_i,
  input  logic en_i,
  output logic clk_o
);

  logic en_q;

  always_latch begin
    if (!clk_i) en_q = en_i;
  end

  assign clk_o = clk_i & en_q;

endmodule
