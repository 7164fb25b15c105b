// Unit of rng, dropout and set_rng_seed: the generators that they share, one for each lane.
module vector_random
  import core_pkg::*;
#(
  parameter logic [15:0] Stream = 16'd9  // stream number of the generators
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Elements: one in every cycle with element_i, which waits for ready_o. Seed: the word of lane 0 seeds all
  // generators. Otherwise the lanes in use draw: with drop_i x is dropped with probability p, else the draw
  // is the result.
  input  logic  element_i,
  input  logic  seed_i,
  input  logic  drop_i,
  input  mask_t in_use_i,
  input  row_t  x_i,
  input  row_t  p_i,
  output logic  ready_o,

  // One result for each element; that of a seed is undefined.
  output logic valid_o,
  output row_t result_o,
  input  logic take_i
);

  import xorwow_lane_pkg::*;

  logic valid_q;

  assign ready_o  = ~valid_q | take_i;
  assign valid_o  = valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else         valid_q <= element_i | (valid_q & ~take_i);
  end

  // Only this process uses the generators; it hands them to draw_row and back.
  /* verilator lint_off UNUSEDSIGNAL */
  row_t x_q, y_q, z_q, w_q, v_q, d_q;
  /* verilator lint_on UNUSEDSIGNAL */
  row_t result_q;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i or negedge rst_ni) begin
    row_t draw, result;
    if (!rst_ni) begin
      seed_row(x_q, y_q, z_q, w_q, v_q, d_q, Stream, '0);
    end else if (element_i) begin
      if (seed_i) begin
        seed_row(x_q, y_q, z_q, w_q, v_q, d_q, Stream, x_i[0]);
      end else begin
        draw_row(draw, x_q, y_q, z_q, w_q, v_q, d_q, in_use_i);
        if (drop_i) vector_random_pkg::dropout_row(result, x_i, draw, p_i);
        else        result = draw;
        result_q <= result;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  assign result_o = result_q;

  `ifndef SYNTHESIS
  vector_unit_properties u_properties (
    .clk_i, .rst_ni, .element_i, .ready_i(ready_o), .valid_i(valid_o), .take_i
  );
  `endif

endmodule
