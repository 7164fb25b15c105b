// A block of rows of the systolic array: processing elements, their stationary operands, and the skew of the
// operands for its rows. Everything at its borders is registered, so that blocks do not depend on each other
// within a cycle.
//
// The triangle of skew registers is kept as memories. Operands for the rows of the block are written when
// they enter the array, and row k reads lane k when its element, which knows the slot, is there.
module pe_block
  import cfg_pkg::*;
  import core_pkg::*;
  import tensor_pkg::*;
#(
  parameter int unsigned FirstRow = 0,
  parameter int unsigned RowGroup = 0
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // Data that enters the array in this cycle, at any row, with lane k for row k, and its slot: moving
  // operands for all rows of the array or for the block's row group, by column group; columns of the
  // stationary operand
  input  array_row_t slot_i,
  input  logic [ColumnGroups-1:0] whole_valid_i,
  input  logic [ColumnGroups-1:0] moving_valid_i,
  input  logic       part_valid_i,
  input  logic       part_split_i,
  /* verilator lint_off UNUSEDSIGNAL */  // lanes of other blocks are not used
  input  row_t [Streams-1:0] moving_i,
  input  row_t [Parts*LoadColumns-1:0] part_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // Elements by column group and a beat of stationary columns, at the block's first row; the partial sums of
  // the row above
  input  step_t [ColumnGroups-1:0] step_i,
  input  load_step_t load_i,
  input  tensor_lane_pkg::cols_t sum_i,
  // The same after its last row
  output step_t [ColumnGroups-1:0] step_o,
  output load_step_t load_o,
  output tensor_lane_pkg::cols_t sum_o
);

  // Operands of the block's rows
  typedef logic [BlockRows-1:0][31:0] operands_t;
  operands_t moving_q [ColumnGroups*Rows] /* verilator tracing_off */;        // [column group][slot]
  operands_t part_q [Parts*LoadColumns*Rows] /* verilator tracing_off */;     // [part][column][slot]

  // Outputs of row k; whole rows use the first column group
  step_t      step_q [ColumnGroups*BlockRows];             // [column group][row]
  load_step_t load_q [BlockRows];
  tensor_lane_pkg::cols_t sum_q [BlockRows];
  tensor_lane_pkg::cols_t weight_q [2*Parts*BlockRows];  // [bank][part][row]

  logic tiled_q;   // the array works in column tiles
  logic leaving;
  step_t element;
  tensor_lane_pkg::cols_t above;

  // One process owns the block's state. Rows are updated from the last to the first, so each sees its
  // neighbour's value of the previous cycle. docs/rtl-style.md explains why this is blocking; the outputs of
  // the block are not.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_o  <= '0;
      load_o  <= '0;
      tiled_q = 1'b0;
      for (int unsigned k = 0; k < ColumnGroups * BlockRows; k++) step_q[k] = '0;
      for (int unsigned k = 0; k < BlockRows; k++) load_q[k] = '0;
    end else begin
      for (int unsigned c = 0; c < ColumnGroups; c++) begin
        if (whole_valid_i[c]) moving_q[c*Rows+32'(slot_i)] = moving_i[c*RowGroups][FirstRow+:BlockRows];
        else if (moving_valid_i[c]) moving_q[c*Rows+32'(slot_i)] = moving_i[c*RowGroups+RowGroup][FirstRow+:BlockRows];
      end
      for (int unsigned c = 0; c < Parts * LoadColumns; c++) begin
        if (part_valid_i & (c < LoadColumns | part_split_i)) part_q[c*Rows+32'(slot_i)] = part_i[c][FirstRow+:BlockRows];
      end

      for (int unsigned r = BlockRows - 1; r > 0; r--) begin
        load_q[r] = load_q[r-1];
        if (load_q[r].valid) load_step(r);
      end
      load_q[0] = load_i;
      if (load_i.valid) load_step(0);

      // Column tiles and whole rows are never in the array together.
      for (int unsigned c = 0; c < ColumnGroups; c++) begin
        if (step_i[c].valid) tiled_q = step_i[c].column_tile;
      end
      if (tiled_q) begin
        for (int unsigned r = BlockRows; r > 0; r--) begin
          for (int unsigned c = 0; c < ColumnGroups; c++) begin
            element = r == 1 ? step_i[c] : step_q[c*BlockRows+r-2];
            step_q[c*BlockRows+r-1] = element;
            if (element.valid) begin
              above = r == 1 ? (element.first ? '0 : sum_i) : sum_q[r-2];
              tensor_tile_pkg::fma_columns(sum_q[r-1], sum_q[r-1], c, r - 1 < 32'(element.rows), weight_q[weight_of(element, r - 1)],
                                           moving_q[c*Rows+32'(element.slot)][r-1], above);
            end
          end
        end
      end else begin
        for (int unsigned r = BlockRows - 1; r > 0; r--) begin
          step_q[r] = step_q[r-1];
          if (step_q[r].valid) begin
            if (r < 32'(step_q[r].rows)) begin
              tensor_lane_pkg::fma_row(sum_q[r], weight_q[weight_of(step_q[r], r)], moving_q[32'(step_q[r].slot)][r], sum_q[r-1]);
            end else begin
              sum_q[r] = sum_q[r-1];
            end
          end
        end
        step_q[0] = step_i[0];
        if (step_i[0].valid) begin
          if (step_i[0].rows != '0) begin
            tensor_lane_pkg::fma_row(sum_q[0], weight_q[weight_of(step_i[0], 0)], moving_q[32'(step_i[0].slot)][0],
                                     step_i[0].first ? '0 : sum_i);
          end else begin
            sum_q[0] = step_i[0].first ? '0 : sum_i;
          end
        end
      end

      leaving = 1'b0;
      for (int unsigned c = 0; c < ColumnGroups; c++) begin
        step_o[c]       <= step_q[c*BlockRows+BlockRows-1];
        step_o[c].first <= 1'b0;
        step_o[c].rows  <= rows_below(step_q[c*BlockRows+BlockRows-1].rows);
        leaving         = leaving | step_q[c*BlockRows+BlockRows-1].valid;
      end
      load_o       <= load_q[BlockRows-1];
      load_o.rows  <= rows_below(load_q[BlockRows-1].rows);
      if (leaving) sum_o <= sum_q[BlockRows-1];
    end
  end

  // The functions below belong to the process above.

  // Returns the index of the stationary operands that an element meets in row r.
  /* verilator lint_off UNUSEDSIGNAL */  // only a part of the record is used
  function automatic int unsigned weight_of(step_t step, int unsigned r);
    return (32'(step.bank)*Parts + 32'(step.part))*BlockRows + r;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // Stores the stationary operands that reach row r in this cycle.
  function automatic void load_step(int unsigned r);
    /* verilator lint_off UNUSEDSIGNAL */  // only a part of the record is used
    load_step_t load;
    /* verilator lint_on UNUSEDSIGNAL */
    load = load_q[r];
    if (r < 32'(load.rows)) begin
      for (int unsigned p = 0; p < (load.split ? Parts : 1); p++) begin
        for (int unsigned c = 0; c < 32'(load.number); c++) begin
          weight_q[(32'(load.bank)*Parts + p)*BlockRows + r][32'(load.column) + c] =
              part_q[(p*LoadColumns + c)*Rows + 32'(load.slot)][r];
        end
      end
    end
  endfunction
  /* verilator lint_on BLKSEQ */

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      StepKnown: assert (!$isunknown({step_o, load_o.valid}));
      OneWidth: assert (tiled_q | !(step_q[ColumnGroups*BlockRows-1].valid) | ColumnGroups == 1);
      OperandsKnown: assert (whole_valid_i[0] -> !$isunknown(moving_i[0][FirstRow+:BlockRows]));
      SumKnown: assert (step_o[0].valid -> !$isunknown(sum_o));
      LoadWithinColumns: assert (load_i.valid -> 32'(load_i.column) + 32'(load_i.number) <= Cols);
    end
  end
  `endif

endmodule
