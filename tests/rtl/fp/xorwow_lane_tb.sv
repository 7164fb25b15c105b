// The generators of all lanes: they are seeded or drawn from at a clock edge.
module xorwow_lane_tb (
    input  logic                            clk_i,
    input  logic                            seed_valid_i,
    input  logic [15:0]                     stream_i,
    input  logic [31:0]                     seed_i,
    input  logic [cfg_pkg::Lanes-1:0]       in_use_i,
    output logic [cfg_pkg::Lanes-1:0][31:0] draw_o
);
  logic [cfg_pkg::Lanes-1:0][31:0] x_q, y_q, z_q, w_q, v_q, d_q;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (seed_valid_i) xorwow_lane_pkg::seed_row(x_q, y_q, z_q, w_q, v_q, d_q, stream_i, seed_i);
    else xorwow_lane_pkg::draw_row(draw_o, x_q, y_q, z_q, w_q, v_q, d_q, in_use_i);
  end
endmodule
