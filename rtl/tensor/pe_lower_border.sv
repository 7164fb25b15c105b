// The lower blocks of the array with a register for their outputs. In the simulation of a core another module
// with this name replaces this one (model/core/rtl/pe_lower_border.sv): that has the register, and pe_lower
// is a model beside the core's.
module pe_lower_border
  import core_pkg::*;
  import tensor_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  // See pe_lower
  input  array_row_t slot_i,
  input  element_t   element_i [Streams],
  input  row_t [Streams-1:0] moving_i,
  input  load_t      load_i,
  input  row_t [Parts*LoadColumns-1:0] load_part_i,
  input  step_t [ColumnGroups-1:0] step_i,
  input  load_step_t load_step_i,
  input  tensor_lane_pkg::cols_t sum_i,
  output element_t   result_o [Streams],
  output row_t       data_o [Streams]
);

  element_t result [Streams];
  row_t     data [Streams];

  pe_lower u_lower (
    .clk_i, .rst_ni, .slot_i, .element_i, .moving_i, .load_i, .load_part_i, .step_i, .load_step_i, .sum_i,
    .result_o(result), .data_o(data)
  );

  for (genvar s = 0; s < Streams; s++) begin : g_result
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        result_o[s] <= '0;
      end else begin
        result_o[s].valid <= 1'b0;
        if (result[s].valid) begin
          result_o[s] <= result[s];
          data_o[s]   <= data[s];
        end
      end
    end
  end

endmodule
