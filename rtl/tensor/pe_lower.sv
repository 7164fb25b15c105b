// The lower blocks of the systolic array, and the passage along the columns after its last row. Everything at
// its borders is registered, so that the simulator can work on it in a thread of its own
// (model/core/rtl/lower_rows.hpp).
module pe_lower
  import cfg_pkg::*;
  import core_pkg::*;
  import tensor_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  // Data that enters the array in this cycle
  input  array_row_t slot_i,
  input  element_t   element_i [Streams],
  input  row_t [Streams-1:0] moving_i,
  input  load_t      load_i,
  input  row_t [Parts*LoadColumns-1:0] load_part_i,
  // From the upper blocks
  input  step_t [ColumnGroups-1:0] step_i,
  input  load_step_t load_step_i,
  input  tensor_lane_pkg::cols_t sum_i,
  // Results, one port for each stream; columns start at lane 0
  output element_t   result_o [Streams],
  output row_t       data_o [Streams]
);

  localparam int unsigned LowerBlocks = Blocks - UpperBlocks;
  localparam int unsigned Passage     = Cols - 2;  // cycles along the columns, without the registers of the last row and of pe_lower_border

  step_t [LowerBlocks-1:0][ColumnGroups-1:0] step_out;
  tensor_lane_pkg::cols_t [LowerBlocks-1:0] sum_out;
  /* verilator lint_off UNUSEDSIGNAL */  // nothing comes after the last block
  load_step_t load_out;
  /* verilator lint_on UNUSEDSIGNAL */

  pe_rows #(.FirstBlock(UpperBlocks), .NumBlocks(LowerBlocks)) u_rows (
    .clk_i, .rst_ni, .slot_i, .element_i, .moving_i, .load_i, .load_part_i, .step_i, .load_step_i, .sum_i,
    .step_o(step_out), .load_step_o(load_out), .sum_o(sum_out)
  );

  logic [ColBits-1:0] out_position_q, out_oldest;
  assign out_oldest = 32'(out_position_q) == Passage - 1 ? '0 : out_position_q + 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_position_q <= '0;
    else out_position_q <= out_oldest;
  end

  for (genvar s = 0; s < Streams; s++) begin : g_result
    localparam int unsigned RowGroup    = s % RowGroups;
    localparam int unsigned ColumnGroup = s / RowGroups;
    localparam int unsigned LastBlock   = (RowGroup + 1) * GroupBlocks - 1;
    element_t element_q [Rows];  // [slot]: the fields of an element that the rows do not need
    element_t passing_q [Passage];
    tensor_lane_pkg::cols_t data_q [Passage];
    /* verilator lint_off UNUSEDSIGNAL */  // only parts of the records are used
    step_t      tile, last;          // after the last row of the group and of the array
    /* verilator lint_on UNUSEDSIGNAL */
    logic       leaves, own, below;  // below: an element of all rows
    array_row_t slot;
    tensor_lane_pkg::cols_t tile_sum;

    if (LastBlock < UpperBlocks) begin : g_upper
      assign tile     = step_i[ColumnGroup];
      assign tile_sum = sum_i;
    end else begin : g_lower
      assign tile     = step_out[LastBlock-UpperBlocks][ColumnGroup];
      assign tile_sum = sum_out[LastBlock-UpperBlocks];
    end
    assign last   = step_out[LowerBlocks-1][ColumnGroup];
    assign own    = tile.valid & tile.row_tile;
    assign below  = RowGroup == 0 & last.valid & !last.row_tile;
    assign leaves = own | below;
    assign slot   = below ? last.slot : tile.slot;

    // One process owns the delay lines; docs/rtl-style.md explains why this is blocking.
    /* verilator lint_off BLKSEQ */
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        result_o[s] <= '0;
        for (int unsigned k = 0; k < Passage; k++) passing_q[k] = '0;
      end else begin
        passing_q[out_position_q].valid = 1'b0;
        if (leaves) passing_q[out_position_q] = element_q[slot];
        if (own) data_q[out_position_q] = tile_sum;
        if (below) data_q[out_position_q] = sum_out[LowerBlocks-1];
        result_o[s] <= passing_q[out_oldest];
        if (passing_q[out_oldest].valid) data_o[s] <= row_t'(data_q[out_oldest] >> (ColumnGroup * GroupCols * 32));
        if (element_i[s].valid) element_q[slot_i] = element_i[s];
      end
    end
    /* verilator lint_on BLKSEQ */

    `ifndef SYNTHESIS
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (rst_ni) begin
        OneResult: assert (!(own & below));  // no result has two writers in a cycle
        ResultWithinColumns: assert (result_o[s].valid -> result_o[s].columns != 0 & 32'(result_o[s].columns) <= Cols);
      end
    end
    `endif
  end


endmodule
