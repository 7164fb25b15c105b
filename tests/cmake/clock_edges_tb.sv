// Registers on a clock, on a gated one, and on one that is gated twice; enables and outputs that depend on inputs.
module clock_edges_tb (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [1:0]  en_i,
    input  logic [31:0] data_i,
    output logic [31:0] sum_o,
    output logic [31:0] kept_o,
    output logic [31:0] far_o,
    output logic [31:0] mixed_o
);
  logic near_clk, far_clk;
  clock_gate u_near (.clk_i, .en_i(en_i[0] ^ sum_o[0]), .clk_o(near_clk));
  clock_gate u_far (.clk_i(near_clk), .en_i(en_i[1] | kept_o[3]), .clk_o(far_clk));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sum_o <= '0;
    else         sum_o <= sum_o + data_i;
  end
  always_ff @(posedge near_clk) kept_o <= data_i ^ sum_o;
  always_ff @(posedge far_clk or negedge rst_ni) begin
    if (!rst_ni) far_o <= '0;
    else         far_o <= kept_o - far_o;
  end
  assign mixed_o = (far_o & data_i) | (kept_o & {32{en_i[0]}});
endmodule
