// The lower blocks of the array as a model of their own. The simulator writes their inputs directly
// (lower_rows.cpp): ports that are arrays of rows would be copied in every evaluation.
module pe_lower_top
  import core_pkg::*;
  import tensor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni
);

  int unsigned     slot /* verilator public_flat_rw */;
  longint unsigned element [Streams] /* verilator public_flat_rw */;
  row_t [Streams-1:0] moving /* verilator public_flat_rw */;
  longint unsigned load /* verilator public_flat_rw */;
  row_t [Parts*LoadColumns-1:0] load_part /* verilator public_flat_rw */;
  longint unsigned step [ColumnGroups] /* verilator public_flat_rw */;
  longint unsigned load_step /* verilator public_flat_rw */;
  tensor_lane_pkg::cols_t sum /* verilator public_flat_rw */;
  longint unsigned result [Streams] /* verilator public_flat_rd */;
  row_t            data [Streams] /* verilator public_flat_rd */;
  int unsigned     results /* verilator public_flat_rd */;  // streams with a result

  element_t element_in [Streams], result_out [Streams];
  step_t [ColumnGroups-1:0] step_in;

  for (genvar s = 0; s < Streams; s++) begin : g_stream
    assign element_in[s] = element_t'(element[s]);
    assign result[s]     = 64'(result_out[s]);
  end
  for (genvar c = 0; c < ColumnGroups; c++) begin : g_step
    assign step_in[c] = step_t'(step[c]);
  end
  always_comb begin
    results = '0;
    for (int unsigned s = 0; s < Streams; s++) results[s] = result_out[s].valid;
  end

  pe_lower u_lower (
    .clk_i, .rst_ni, .slot_i(array_row_t'(slot)), .element_i(element_in), .moving_i(moving), .load_i(load_t'(load)),
    .load_part_i(load_part), .step_i(step_in), .load_step_i(load_step_t'(load_step)), .sum_i(sum),
    .result_o(result_out), .data_o(data)
  );

endmodule
