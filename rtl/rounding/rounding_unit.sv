// The write stage of an engine: turns a result into the words of a memory row, and holds the engine's
// generators for stochastic rounding. docs/stochastic-rounding.md says which results take a draw.
module rounding_unit
  import isa_pkg::*;
  import core_pkg::*;
#(
  parameter logic [15:0] Stream = 16'd1  // stream number of the engine's generators
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Seeds every generator; a result of the same cycle still draws from the old state.
  input  logic        seed_valid_i,
  input  logic [31:0] seed_i,

  // A result, one element a lane: fp32, or with raw_i the element's bits. Lanes in use draw if it is rounded
  // stochastically.
  input  logic       valid_i,
  input  logic       raw_i,
  input  logic       stochastic_i,
  input  dtype_e     dtype_i,
  input  mask_t      in_use_i,
  input  row_t       value_i,

  // The word to write in every partition, from the next cycle on, for a destination that starts at quadrant first_i.
  input  logic [1:0] first_i,
  output row_t       row_o
);

  import xorwow_lane_pkg::*;

  logic draws;
  assign draws = valid_i & stochastic_i & ~raw_i & narrow_lane_pkg::is_narrower_float(dtype_i);

  // Only this process uses the generators; it hands them to draw_row and back.
  /* verilator lint_off UNUSEDSIGNAL */
  row_t x_q, y_q, z_q, w_q, v_q, d_q;
  /* verilator lint_on UNUSEDSIGNAL */
  row_t row_q;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i or negedge rst_ni) begin
    row_t draw, bits, words, row;
    if (!rst_ni) begin
      seed_row(x_q, y_q, z_q, w_q, v_q, d_q, Stream, '0);
      row_q <= '0;
    end else begin
      if (valid_i) begin
        if (draws) begin
          draw_row(draw, x_q, y_q, z_q, w_q, v_q, d_q, in_use_i);
          narrow_lane_pkg::from_fp32_stochastic_row(bits, value_i, draw, dtype_i);
        end else if (raw_i) begin
          bits = value_i;
        end else begin
          narrow_lane_pkg::from_fp32_row(bits, value_i, dtype_i);
        end
        row_pkg::replicate_row(words, bits, dtype_size(dtype_i));
        row_pkg::rotate_to_partitions(row, words, first_i);
        row_q <= row;
      end
      if (seed_valid_i) seed_row(x_q, y_q, z_q, w_q, v_q, d_q, Stream, seed_i);
    end
  end
  /* verilator lint_on BLKSEQ */

  assign row_o = row_q;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      ControlKnown: assert (!$isunknown({seed_valid_i, valid_i}));
      ResultKnown: assert (valid_i -> !$isunknown({raw_i, stochastic_i, dtype_i, in_use_i, first_i}));
    end
  end
  `endif

endmodule
