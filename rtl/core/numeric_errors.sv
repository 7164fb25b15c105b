// Remembers for each engine whether it has written a NaN since reset, and the first instruction that did.
module numeric_errors
  import isa_pkg::*;
(
  input  logic clk_i,  // core clock
  input  logic rst_ni,
  input  logic [Engines-1:0]             nan_i,  // a NaN was written; high until the next edge or longer
  input  core_pkg::number_t [Engines-1:0] number_i,
  output logic [Engines-1:0]             nan_o,
  output core_pkg::number_t [Engines-1:0] number_o
);

  // The clock of these registers runs only when one of them changes.
  logic found_clk;
  clock_gate u_gate (.clk_i, .en_i((nan_i & ~nan_o) != '0), .clk_o(found_clk));

  always_ff @(posedge found_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      nan_o    <= '0;
      number_o <= '0;
    end else begin
      nan_o <= nan_o | nan_i;
      for (int unsigned e = 0; e < Engines; e++) begin
        if (!nan_o[e]) number_o[e] <= number_i[e];
      end
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      NanKnown: assert (!$isunknown(nan_i));
    end
  end
  `endif

endmodule
