// A block of rows of the systolic array: processing elements, their stationary operands, and the skew of the operands that come
// for its rows. Everything at its borders is registered, so that blocks do not depend on each other within a cycle.
//
// The triangle of skew registers is kept as memories: what comes for the rows of the block is written when it enters the array,
// and row k reads lane k when its element, which knows the slot, is there.
module pe_block
  import cfg_pkg::*;
  import core_pkg::*;
  import tensor_pkg::*;
#(
  parameter int unsigned FirstRow = 0
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // What enters the array, at any row, in this cycle, lane k for row k, and the slot it waits in: moving operands for the whole
  // array or for the block's row group, columns of the stationary operand
  input  array_row_t slot_i,
  input  logic       whole_valid_i,
  input  logic       moving_valid_i,
  input  logic       part_valid_i,
  input  logic       part_split_i,
  /* verilator lint_off UNUSEDSIGNAL */  // lanes of other blocks
  input  row_t       whole_i,
  input  row_t       moving_i,
  input  row_t       part_i [Parts*LoadColumns],
  /* verilator lint_on UNUSEDSIGNAL */
  // An element, a beat of stationary columns at the block's first row; the partial sums of the row above
  input  step_t      step_i,
  input  load_step_t load_i,
  input  tensor_lane_pkg::cols_t sum_i,
  // The same behind its last row
  output step_t      step_o,
  output load_step_t load_o,
  output tensor_lane_pkg::cols_t sum_o
);

  // Operands of the block's rows
  typedef logic [BlockRows-1:0][31:0] operands_t;
  operands_t moving_q [Rows] /* verilator tracing_off */;                     // [slot]
  operands_t part_q [Parts*LoadColumns*Rows] /* verilator tracing_off */;     // [part][column][slot]

  // What has been through row k
  step_t      step_q [BlockRows];
  load_step_t load_q [BlockRows];
  tensor_lane_pkg::cols_t sum_q [BlockRows];
  tensor_lane_pkg::cols_t weight_q [2*Parts*BlockRows];  // [bank][part][row]

  // One process owns the block's state: rows are updated from the last to the first, so each sees its neighbour's value of the
  // cycle before. See docs/rtl-style.md for why this is blocking; what leaves the block is not.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_o <= '0;
      load_o <= '0;
      for (int unsigned k = 0; k < BlockRows; k++) begin
        step_q[k] = '0;
        load_q[k] = '0;
      end
    end else begin
      if (whole_valid_i) moving_q[slot_i] = whole_i[FirstRow+:BlockRows];
      else if (moving_valid_i) moving_q[slot_i] = moving_i[FirstRow+:BlockRows];
      if (part_valid_i) begin
        for (int unsigned c = 0; c < (part_split_i ? Parts : 1) * LoadColumns; c++) begin
          part_q[c*Rows + 32'(slot_i)] = part_i[c][FirstRow+:BlockRows];
        end
      end

      for (int unsigned r = BlockRows - 1; r > 0; r--) begin
        step_q[r] = step_q[r-1];
        if (step_q[r].valid) begin
          if (r < 32'(step_q[r].rows)) begin
            tensor_lane_pkg::fma_row(sum_q[r], weight_q[weight_of(r)], moving_q[step_q[r].slot][r], sum_q[r-1]);
          end else begin
            sum_q[r] = sum_q[r-1];
          end
        end
        load_q[r] = load_q[r-1];
        if (load_q[r].valid) load_step(r);
      end
      step_q[0] = step_i;
      if (step_i.valid) begin
        sum_q[0] = step_i.first ? '0 : sum_i;
        if (step_i.rows != '0) begin
          tensor_lane_pkg::fma_row(sum_q[0], weight_q[weight_of(0)], moving_q[step_i.slot][0], sum_q[0]);
        end
      end
      load_q[0] = load_i;
      if (load_i.valid) load_step(0);

      step_o       <= step_q[BlockRows-1];
      step_o.first <= 1'b0;
      step_o.rows  <= rows_below(step_q[BlockRows-1].rows);
      load_o       <= load_q[BlockRows-1];
      load_o.rows  <= rows_below(load_q[BlockRows-1].rows);
      if (step_q[BlockRows-1].valid) sum_o <= sum_q[BlockRows-1];
    end
  end

  // The functions below belong to the process above.

  // The stationary operands that the element in row r meets.
  function automatic int unsigned weight_of(int unsigned r);
    return (32'(step_q[r].bank)*Parts + 32'(step_q[r].part))*BlockRows + r;
  endfunction

  // Stationary operands that reach row r in this cycle.
  function automatic void load_step(int unsigned r);
    /* verilator lint_off UNUSEDSIGNAL */  // a record of which only a part is needed here
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
      OperandsKnown: assert (whole_valid_i -> !$isunknown(whole_i[FirstRow+:BlockRows]));
      SumKnown: assert (step_o.valid -> !$isunknown(sum_o));
      LoadWithinColumns: assert (load_i.valid -> 32'(load_i.column) + 32'(load_i.number) <= Cols);
    end
  end
  `endif

endmodule
