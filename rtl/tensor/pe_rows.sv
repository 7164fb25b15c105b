// Neighbouring blocks of rows of the systolic array. If a row group begins within them, its streams and loads
// enter there.
module pe_rows
  import cfg_pkg::*;
  import core_pkg::*;
  import tensor_pkg::*;
#(
  parameter int unsigned FirstBlock = 0,
  parameter int unsigned NumBlocks  = Blocks
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // Data that enters the array in this cycle, at any row, and its slot in the skew memories
  input  array_row_t slot_i,
  /* verilator lint_off UNUSEDSIGNAL */  // fields that rows do not need, and row groups of other blocks
  input  element_t   element_i [Streams],
  /* verilator lint_on UNUSEDSIGNAL */
  input  row_t [Streams-1:0] moving_i,
  input  load_t      load_i,
  input  row_t [Parts*LoadColumns-1:0] load_part_i,
  // From the row above
  input  step_t [ColumnGroups-1:0] step_i,
  input  load_step_t load_step_i,
  input  tensor_lane_pkg::cols_t sum_i,
  // Outputs of the last row of each block; a beat of stationary columns after the last block
  output step_t [NumBlocks-1:0][ColumnGroups-1:0] step_o,
  output load_step_t load_step_o,
  output tensor_lane_pkg::cols_t [NumBlocks-1:0] sum_o
);

  // Elements that go through all rows, by column group.
  logic [ColumnGroups-1:0] whole;
  for (genvar c = 0; c < ColumnGroups; c++) begin : g_whole
    assign whole[c] = element_i[c*RowGroups].valid & !element_i[c*RowGroups].row_tile;
  end

  // At the first row of a block: data from the block above, and data that enters the block; data after its
  // last row
  step_t [ColumnGroups-1:0] step_above [NumBlocks], step_in [NumBlocks];
  load_step_t load_above [NumBlocks], load_in [NumBlocks], load_out [NumBlocks];
  assign load_step_o = load_out[NumBlocks-1];

  for (genvar b = 0; b < NumBlocks; b++) begin : g_block
    localparam int unsigned Group = (FirstBlock + b) / GroupBlocks;  // number of the row group
    localparam bit Entry = (FirstBlock + b) % GroupBlocks == 0;
    logic [ColumnGroups-1:0] own;                                    // elements that enter at the group's first row
    for (genvar c = 0; c < ColumnGroups; c++) begin : g_own
      assign own[c] = element_i[c*RowGroups+Group].valid;
    end
    tensor_lane_pkg::cols_t sum_above;
    if (b == 0) begin : g_top
      assign step_above[b] = step_i;
      assign load_above[b] = load_step_i;
      assign sum_above     = sum_i;
    end else begin : g_inner
      assign step_above[b] = step_o[b-1];
      assign load_above[b] = load_out[b-1];
      assign sum_above     = sum_o[b-1];
    end

    if (Entry) begin : g_entry
      // A group's own stream and loads enter here; only data for the whole array passes from above.
      always_comb begin
        step_in[b] = step_above[b];
        for (int unsigned c = 0; c < ColumnGroups; c++) begin
          step_in[b][c].valid = step_above[b][c].valid & !step_above[b][c].row_tile;
          if (own[c]) begin
            step_in[b][c] = '{valid: 1'b1, row_tile: element_i[c*RowGroups+Group].row_tile,
                              column_tile: element_i[c*RowGroups+Group].column_tile, first: 1'b1,
                              bank: element_i[c*RowGroups+Group].bank, part: element_i[c*RowGroups+Group].part,
                              rows: element_i[c*RowGroups+Group].rows, slot: slot_i};
          end
        end
        load_in[b]       = load_above[b];
        load_in[b].valid = load_above[b].valid & !load_above[b].row_tile;
        if (load_i.valid & row_group(load_i.stream) == Group) begin
          load_in[b] = '{valid: 1'b1, row_tile: load_i.row_tile, bank: load_i.bank, split: load_i.split, rows: load_i.rows,
                         column: load_i.column, number: load_i.number, slot: slot_i};
        end
      end
    end else begin : g_passage
      assign step_in[b] = step_above[b];
      assign load_in[b] = load_above[b];
    end

    pe_block #(.FirstRow((FirstBlock + b) * BlockRows), .RowGroup(Group)) u_block (
      .clk_i, .rst_ni, .slot_i,
      .whole_valid_i(whole), .moving_valid_i(own), .moving_i,
      .part_valid_i(load_i.valid), .part_split_i(load_i.split), .part_i(load_part_i),
      .step_i(step_in[b]), .load_i(load_in[b]), .sum_i(sum_above),
      .step_o(step_o[b]), .load_o(load_out[b]), .sum_o(sum_o[b])
    );

    `ifndef SYNTHESIS
    if (Entry) begin : g_assert
      // No sum and no stationary operand may have two writers in a cycle.
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (rst_ni) begin
          for (int unsigned c = 0; c < ColumnGroups; c++) begin
            OneElement: assert (!(own[c] & step_above[b][c].valid & !step_above[b][c].row_tile));
          end
          OneLoad: assert (!(load_i.valid & row_group(load_i.stream) == Group & load_above[b].valid & !load_above[b].row_tile));
        end
      end
    end
    `endif
  end

endmodule
