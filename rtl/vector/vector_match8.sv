// Unit of find_index8 and match_replace8: compares each element with eight values, which come before the
// elements.
module vector_match8
  import isa_pkg::*;
  import core_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Elements: one in every cycle with element_i, which waits for ready_o. The eight values come first, fp32,
  // with value_i; then the elements of the operand, with the first and last marked: fp32, or with raw_i the
  // element's bits.
  input  logic   element_i,
  input  logic   value_i,
  input  logic   first_i,
  input  logic   last_i,
  input  logic   replace_i,      // match_replace8, else find_index8
  input  logic   raw_i,
  input  dtype_e dtype_i,
  input  row_t   replacement_i,  // fp32; converted like the elements
  input  row_t   x_i,
  output logic   ready_o,

  // Results in order: the eight indices, or one result for each element.
  output logic valid_o,
  output row_t result_o,
  input  logic take_i
);

  import vector_search_pkg::*;

  localparam int unsigned Values = 8;
  logic [3:0]  left_d, left_q;  // results not taken yet
  logic [2:0]  place_q;         // place of the next value
  logic [31:0] index_q, index;  // index of the element

  // Taking a result makes room at once only if it is the last one: find_index8 may still hold eight results.
  assign ready_o = value_i | (left_q == '0) | (replace_i ? (left_q == 4'd1) & take_i : ~last_i);
  assign valid_o = left_q != '0;
  assign index   = first_i ? '0 : index_q;

  always_comb begin
    left_d = left_q - 4'(take_i);
    if (element_i && !value_i && replace_i)      left_d = 4'd1;
    else if (element_i && !value_i && last_i) left_d = 4'(Values);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q  <= '0;
      place_q <= '0;
      index_q <= '0;
    end else begin
      left_q <= left_d;
      if (element_i && value_i)  place_q <= place_q + 3'd1;
      if (element_i && !value_i) index_q <= index + 32'd1;
    end
  end

  row_t wanted_q [Values];  // values that match_replace8 has used up match nothing; in this process only
  row_t found_q [Values];   // indices
  row_t waiting_q [Values];  // results
  row_t result_q;
  row_t replacement_q;

  assign result_o = result_q;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    row_t element, value, wanted, matched, found;
    if (take_i) for (int unsigned k = 1; k < Values; k++) waiting_q[k-1] = waiting_q[k];
    if (element_i && value_i) wanted_row(wanted_q[place_q], x_i);
    if (element_i && !value_i) begin
      if (raw_i) begin
        widen_lane_pkg::to_fp32_row(value, x_i, dtype_i);
        if (first_i) narrow_lane_pkg::from_fp32_row(replacement_q, replacement_i, dtype_i);
      end else begin
        value = x_i;
        if (first_i) replacement_q = replacement_i;
      end
      element_row(element, value);
      if (replace_i) begin
        matched = '0;
        for (int unsigned k = 0; k < Values; k++) begin
          wanted = wanted_q[k];
          match_row(matched, wanted, element);
          wanted_q[k] = wanted;
        end
        replace_row(waiting_q[0], matched, replacement_q, x_i);
      end else begin
        for (int unsigned k = 0; k < Values; k++) begin
          find_row(found, first_i ? {cfg_pkg::Lanes{NoIndex}} : found_q[k], wanted_q[k], element, index);
          found_q[k] = found;
        end
        if (last_i) for (int unsigned k = 0; k < Values; k++) waiting_q[k] = found_q[k];
      end
    end
    if (take_i || (element_i && !value_i)) result_q <= waiting_q[0];
  end
  /* verilator lint_on BLKSEQ */

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      AllValuesBeforeElements: assert ((element_i && !value_i) -> place_q == '0);
    end
  end
  vector_unit_properties u_properties (
    .clk_i, .rst_ni, .element_i, .ready_i(ready_o), .valid_i(valid_o), .take_i
  );
  `endif

endmodule
