// The weight-stationary systolic array: Rows x Cols processing elements, in blocks of rows (pe_block).
//
// A moving element enters row 0 and goes down one row a cycle with the partial sums of its column vector; row
// k multiplies by the operand of partition k, which is delayed by k cycles (skew). The operands of a row are
// broadcast along it, so that results of all columns leave the last row together. A delay of Cols cycles
// stands for the passage along the columns, so the latency is that of an array pipelined in both directions.
// Stationary operands travel with the same skew, so that a weight bank can be loaded right after the last
// element that used it.
module pe_array
  import cfg_pkg::*;
  import core_pkg::*;
  import tensor_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,
  // Moving elements, one stream for each pair of groups
  input  element_t element_i [Streams],
  input  row_t     moving_i [Streams],     // decoded operands, lane k for row k
  // Stationary operand
  input  load_t    load_i,
  input  row_t     load_part_i [Parts*LoadColumns],  // [part][column]; only PartHigh unless load_i.split
  // Results, one port for each stream; columns start at lane 0
  output element_t result_o [Streams],
  output row_t     data_o [Streams],
  output logic     busy_o
);

  localparam int unsigned Flight = Rows + Cols + 2;  // cycles until an element has left the array

  // Data that enters in this cycle takes this slot of the skew memories.
  array_row_t slot_q;
  logic [$clog2(Flight+1)-1:0] element_flight_q, load_flight_q;
  logic [Streams-1:0] entering;

  for (genvar s = 0; s < Streams; s++) begin : g_entering
    assign entering[s] = element_i[s].valid;
  end
  assign busy_o = (element_flight_q != '0) | (load_flight_q != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q           <= '0;
      element_flight_q <= '0;
      load_flight_q    <= '0;
    end else begin
      slot_q <= 32'(slot_q) == Rows - 1 ? '0 : slot_q + 1'b1;
      if (|entering) element_flight_q <= ($bits(element_flight_q))'(Flight);
      else if (element_flight_q != '0) element_flight_q <= element_flight_q - 1'b1;
      if (load_i.valid) load_flight_q <= ($bits(load_flight_q))'(Flight);
      else if (load_flight_q != '0) load_flight_q <= load_flight_q - 1'b1;
    end
  end

  // ------------------------------------------------------------------------------------------------------- blocks
  row_t [Streams-1:0] moving;
  row_t [Parts*LoadColumns-1:0] load_part;
  for (genvar s = 0; s < Streams; s++) begin : g_moving
    assign moving[s] = moving_i[s];
  end
  for (genvar k = 0; k < Parts * LoadColumns; k++) begin : g_part
    assign load_part[k] = load_part_i[k];
  end

  step_t [UpperBlocks-1:0][ColumnGroups-1:0] step_upper;
  load_step_t load_upper;
  tensor_lane_pkg::cols_t [UpperBlocks-1:0] sum_upper;

  pe_rows #(.FirstBlock(0), .NumBlocks(UpperBlocks)) u_upper (
    .clk_i, .rst_ni, .slot_i(slot_q), .element_i, .moving_i(moving), .load_i, .load_part_i(load_part), .step_i('0), .load_step_i('0), .sum_i('0),
    .step_o(step_upper), .load_step_o(load_upper), .sum_o(sum_upper)
  );

  pe_lower_border u_lower (
    .clk_i, .rst_ni, .slot_i(slot_q), .element_i, .moving_i(moving), .load_i, .load_part_i(load_part),
    .step_i(step_upper[UpperBlocks-1]), .load_step_i(load_upper), .sum_i(sum_upper[UpperBlocks-1]), .result_o, .data_o
  );

  `ifndef SYNTHESIS
  for (genvar s = 0; s < Streams; s++) begin : g_assert
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (rst_ni) begin
        RowsWithinGroup: assert (element_i[s].valid -> 32'(element_i[s].rows) <= (element_i[s].row_tile ? GroupRows : Rows));
        ResultKnown: assert (result_o[s].valid -> !$isunknown({result_o[s], data_o[s]}));
      end
    end
  end
  `endif

endmodule
