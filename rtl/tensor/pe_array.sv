// The weight-stationary systolic array: Rows x Cols processing elements, in blocks of rows (pe_block).
//
// A moving element enters row 0 and goes down one row a cycle with the partial sums of its column vector; row k multiplies
// by the operand of partition k, which is delayed by k cycles (skew). The operands of a row are broadcast along it: results
// of all columns leave the last row together, and a delay of Cols cycles stands for the passage along the columns, so
// latency is that of an array pipelined in both directions. Stationary operands travel with the same skew, so that a weight
// bank can be loaded right behind the last element that used it.
module pe_array
  import cfg_pkg::*;
  import core_pkg::*;
  import tensor_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,
  // Moving elements, one stream a pair of groups
  input  element_t element_i [Streams],
  input  row_t     moving_i [Streams],     // decoded operands, lane k for row k
  // Stationary operand
  input  load_t    load_i,
  input  row_t     load_part_i [Parts*LoadColumns],  // [part][column]; only PartHigh unless load_i.split
  // Results, one port a stream; columns from lane 0
  output element_t result_o [Streams],
  output row_t     data_o [Streams],
  output logic     busy_o
);

  localparam int unsigned Flight  = Rows + Cols + 2;  // cycles until nothing of an element is left
  localparam int unsigned Passage = Cols - 1;         // cycles along the columns, but for the register of the last row

  // What enters in this cycle takes this slot of the skew memories.
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
  // What enters goes through all rows, by column group.
  logic [ColumnGroups-1:0] whole;
  for (genvar c = 0; c < ColumnGroups; c++) begin : g_whole
    assign whole[c] = element_i[c*RowGroups].valid & !element_i[c*RowGroups].row_tile;
  end

  // At the first row of a block: what comes from the block above, what enters the block; behind its last row
  typedef step_t [ColumnGroups-1:0] steps_t;
  steps_t step_above [Blocks], step_in [Blocks], step_out [Blocks];
  tensor_lane_pkg::cols_t sum_out [Blocks];
  /* verilator lint_off UNUSEDSIGNAL */  // nothing comes behind the last block
  load_step_t load_above [Blocks], load_in [Blocks], load_out [Blocks];
  /* verilator lint_on UNUSEDSIGNAL */

  for (genvar b = 0; b < Blocks; b++) begin : g_block
    localparam int unsigned Group = b / GroupBlocks;  // of rows
    logic [ColumnGroups-1:0] own;                     // elements that enter at the group's first row
    for (genvar c = 0; c < ColumnGroups; c++) begin : g_own
      assign own[c] = element_i[c*RowGroups+Group].valid;
    end
    tensor_lane_pkg::cols_t sum_above;
    if (b == 0) begin : g_top
      assign step_above[b] = '0;
      assign load_above[b] = '0;
      assign sum_above     = '0;
    end else begin : g_inner
      assign step_above[b] = step_out[b-1];
      assign load_above[b] = load_out[b-1];
      assign sum_above     = sum_out[b-1];
    end

    if (b % GroupBlocks == 0) begin : g_entry
      // A group's own stream and loads enter here; what passes is of the whole array.
      always_comb begin
        step_in[b] = step_above[b];
        for (int unsigned c = 0; c < ColumnGroups; c++) begin
          step_in[b][c].valid = step_above[b][c].valid & !step_above[b][c].row_tile;
          if (own[c]) begin
            step_in[b][c] = '{valid: 1'b1, row_tile: element_i[c*RowGroups+Group].row_tile,
                              column_tile: element_i[c*RowGroups+Group].column_tile, first: 1'b1,
                              bank: element_i[c*RowGroups+Group].bank, part: element_i[c*RowGroups+Group].part,
                              rows: element_i[c*RowGroups+Group].rows, slot: slot_q};
          end
        end
        load_in[b]       = load_above[b];
        load_in[b].valid = load_above[b].valid & !load_above[b].row_tile;
        if (load_i.valid & row_group(load_i.stream) == Group) begin
          load_in[b] = '{valid: 1'b1, row_tile: load_i.row_tile, bank: load_i.bank, split: load_i.split, rows: load_i.rows,
                         column: load_i.column, number: load_i.number, slot: slot_q};
        end
      end
    end else begin : g_passage
      assign step_in[b] = step_above[b];
      assign load_in[b] = load_above[b];
    end

    pe_block #(.FirstRow(b * BlockRows), .RowGroup(Group)) u_block (
      .clk_i, .rst_ni, .slot_i(slot_q),
      .whole_valid_i(whole), .moving_valid_i(own), .moving_i,
      .part_valid_i(load_i.valid), .part_split_i(load_i.split), .part_i(load_part_i),
      .step_i(step_in[b]), .load_i(load_in[b]), .sum_i(sum_above),
      .step_o(step_out[b]), .load_o(load_out[b]), .sum_o(sum_out[b])
    );
  end

  // ------------------------------------------------------------------------------------------------------ results
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
    element_t element_q [Rows];  // [slot]: what the rows do not need of an element
    element_t passing_q [Passage];
    tensor_lane_pkg::cols_t data_q [Passage];
    logic       leaves, own, below;  // below: an element of all rows, from the last one
    array_row_t slot;

    assign own    = step_out[LastBlock][ColumnGroup].valid & step_out[LastBlock][ColumnGroup].row_tile;
    assign below  = RowGroup == 0 & step_out[Blocks-1][ColumnGroup].valid & !step_out[Blocks-1][ColumnGroup].row_tile;
    assign leaves = own | below;
    assign slot   = below ? step_out[Blocks-1][ColumnGroup].slot : step_out[LastBlock][ColumnGroup].slot;

    // One process owns the delay lines; see docs/rtl-style.md for why this is blocking.
    /* verilator lint_off BLKSEQ */
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        result_o[s] <= '0;
        for (int unsigned k = 0; k < Passage; k++) passing_q[k] = '0;
      end else begin
        passing_q[out_position_q].valid = 1'b0;
        if (leaves) passing_q[out_position_q] = element_q[slot];
        if (own) data_q[out_position_q] = sum_out[LastBlock];
        if (below) data_q[out_position_q] = sum_out[Blocks-1];
        result_o[s] <= passing_q[out_oldest];
        if (passing_q[out_oldest].valid) data_o[s] <= row_t'(data_q[out_oldest] >> (ColumnGroup * GroupCols * 32));
        if (element_i[s].valid) element_q[slot_q] = element_i[s];
      end
    end
    /* verilator lint_on BLKSEQ */
  end

  `ifndef SYNTHESIS
  for (genvar s = 0; s < Streams; s++) begin : g_assert
    localparam int unsigned RowGroup = s % RowGroups, ColumnGroup = s / RowGroups;
    localparam int unsigned First = RowGroup * GroupBlocks, Last = (RowGroup + 1) * GroupBlocks - 1;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (rst_ni) begin
        // No sum, stationary operand or result has two writers in a cycle.
        OneElement: assert (!(element_i[s].valid & step_above[First][ColumnGroup].valid & !step_above[First][ColumnGroup].row_tile));
        OneLoad: assert (!(load_i.valid & row_group(load_i.stream) == RowGroup & load_above[First].valid & !load_above[First].row_tile));
        OneResult: assert (!(RowGroup == 0 & step_out[Last][ColumnGroup].valid & step_out[Last][ColumnGroup].row_tile & step_out[Blocks-1][ColumnGroup].valid &
                             !step_out[Blocks-1][ColumnGroup].row_tile));
        RowsWithinGroup: assert (element_i[s].valid -> 32'(element_i[s].rows) <= (element_i[s].row_tile ? GroupRows : Rows));
        ResultWithinColumns: assert (result_o[s].valid -> result_o[s].columns != 0 & 32'(result_o[s].columns) <= Cols);
        ResultKnown: assert (result_o[s].valid -> !$isunknown({result_o[s], data_o[s]}));
      end
    end
  end
  `endif

endmodule
