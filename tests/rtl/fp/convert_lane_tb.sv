// Registers around the conversions of rows between storage formats and fp32.
module convert_lane_tb (
    input  logic                                clk_i,
    input  isa_pkg::dtype_e                     dtype_i,
    input  logic [cfg_pkg::Lanes-1:0][31:0]     row_i,
    input  logic [cfg_pkg::Lanes-1:0][31:0]     draw_i,
    output logic [cfg_pkg::Lanes-1:0][31:0]     widened_o,
    output logic [cfg_pkg::Lanes-1:0][31:0]     narrowed_o,
    output logic [cfg_pkg::Lanes-1:0][31:0]     stochastic_o
);
  always_ff @(posedge clk_i) begin
    widen_lane_pkg::to_fp32_row(widened_o, row_i, dtype_i);
    narrow_lane_pkg::from_fp32_row(narrowed_o, row_i, dtype_i);
    narrow_lane_pkg::from_fp32_stochastic_row(stochastic_o, row_i, draw_i, dtype_i);
  end
endmodule
