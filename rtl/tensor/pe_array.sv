// The weight-stationary systolic array: Rows x Cols processing elements.
//
// A moving element enters row 0 and goes down one row a cycle with the partial sums of its column vector; row k multiplies
// by the operand of partition k, which is delayed by k cycles (skew). The operands of a row are broadcast along it: results
// of all columns leave the last row together, and a delay of Cols cycles stands for the passage along the columns, so
// latency is that of an array pipelined in both directions. Stationary operands travel with the same skew, so that a weight
// bank can be loaded right behind the last element that used it.
//
// The triangle of skew registers is kept as a ring of rows: row k reads lane k of what entered k cycles ago.
module pe_array
  import cfg_pkg::*;
  import core_pkg::*;
  import tensor_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,
  // Moving elements, one stream a row group
  input  element_t element_i [Groups],
  input  row_t     moving_i [Groups],      // decoded operands, lane k for row k
  // Stationary operand
  input  load_t    load_i,
  input  row_t     load_part_i [Parts*LoadColumns],  // [part][column]; only PartHigh unless load_i.split
  // Results, one port a row group; columns from lane 0
  output element_t result_o [Groups],
  output row_t     data_o [Groups],
  output logic     busy_o
);

  localparam int unsigned Flight = Rows + Cols + 2;  // cycles until nothing of an element is left

  // Skew rings; slot position_q holds what enters in this cycle
  element_t element_q [Groups*Rows];
  row_t     moving_q [Groups*Rows] /* verilator tracing_off */;
  load_t    load_q [Rows];
  row_t     load_part_q [Parts*LoadColumns*Rows];  // [part][column][slot]
  array_row_t position_q;

  // The array: partial sums, and stationary operands as [bank][part][row]
  tensor_lane_pkg::cols_t sum_q [Rows];
  tensor_lane_pkg::cols_t weight_q [2*Parts*Rows];

  // Passage along the columns
  element_t out_element_q [Groups*Cols];
  tensor_lane_pkg::cols_t out_data_q [Groups*Cols];
  logic [ColBits-1:0] out_position_q;

  int unsigned out_oldest;
  array_row_t  leaving_row;
  element_t    leaving;
  assign out_oldest = 32'(out_position_q) == Cols - 1 ? 0 : 32'(out_position_q) + 1;

  logic [$clog2(Flight+1)-1:0] element_flight_q, load_flight_q;

  assign busy_o = (element_flight_q != '0) | (load_flight_q != '0);

  // One process owns the array's state: rows are updated from the last to the first, so each sees its neighbour's value of
  // the cycle before. See docs/rtl-style.md for why this is blocking.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      position_q       <= '0;
      out_position_q   <= '0;
      element_flight_q <= '0;
      load_flight_q    <= '0;
      for (int unsigned g = 0; g < Groups; g++) result_o[g] <= '0;
      for (int unsigned s = 0; s < Groups * Rows; s++) element_q[s] = '0;
      for (int unsigned s = 0; s < Rows; s++) load_q[s] = '0;
      for (int unsigned s = 0; s < Groups * Cols; s++) out_element_q[s] = '0;
    end else begin
      position_q     <= 32'(position_q) == Rows - 1 ? '0 : position_q + 1'b1;
      out_position_q <= 32'(out_position_q) == Cols - 1 ? '0 : out_position_q + 1'b1;
      if (element_i[0].valid | element_i[1].valid) element_flight_q <= ($bits(element_flight_q))'(Flight);
      else if (element_flight_q != '0) element_flight_q <= element_flight_q - 1'b1;
      if (load_i.valid) load_flight_q <= ($bits(load_flight_q))'(Flight);
      else if (load_flight_q != '0) load_flight_q <= load_flight_q - 1'b1;

      // Entry
      for (int unsigned g = 0; g < Groups; g++) begin
        element_q[g*Rows + 32'(position_q)] = element_i[g];
        if (element_i[g].valid) moving_q[g*Rows + 32'(position_q)] = moving_i[g];
      end
      load_q[position_q] = load_i;
      if (load_i.valid) begin
        for (int unsigned c = 0; c < (load_i.split ? Parts : 1) * LoadColumns; c++) begin
          load_part_q[c*Rows + 32'(position_q)] = load_part_i[c];
        end
      end

      // Rows
      for (int unsigned r = Rows; r > 0; r--) begin
        row_step(r - 1);
      end
      if (load_i.valid | load_flight_q != '0) begin
        for (int unsigned r = 0; r < Rows; r++) load_step(r);
      end

      // Results
      for (int unsigned g = 0; g < Groups; g++) begin
        leaving     = leaving_element(g);
        leaving_row = array_row_t'(g == 0 & leaving.tile ? GroupRows - 1 : Rows - 1);
        out_element_q[g*Cols + 32'(out_position_q)] = leaving;
        if (leaving.valid) out_data_q[g*Cols + 32'(out_position_q)] = sum_q[leaving_row];
        result_o[g] <= out_element_q[g*Cols + out_oldest];
        if (out_element_q[g*Cols + out_oldest].valid) data_o[g] <= row_t'(out_data_q[g*Cols + out_oldest]);
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // The functions below belong to the process above; each looks at some fields of a record.
  /* verilator lint_off BLKSEQ */
  /* verilator lint_off UNUSEDSIGNAL */

  // The ring slot of what entered `age` cycles ago.
  function automatic int unsigned slot(int unsigned age);
    return 32'(position_q) >= age ? 32'(position_q) - age : 32'(position_q) + Rows - age;
  endfunction

  // One cycle of row r: continue the chain, or pass it through where the row is not active.
  function automatic void row_step(int unsigned r);
    int unsigned full_slot, tile_slot, chosen;
    element_t element;
    tensor_lane_pkg::cols_t sum_in;
    full_slot = slot(r);
    tile_slot = r >= GroupRows ? Rows + slot(r - GroupRows) : full_slot;
    // A row of the second group follows its own stream unless a whole-array matmul passes.
    chosen  = element_q[full_slot].valid & ~element_q[full_slot].tile ? full_slot : tile_slot;
    element = element_q[chosen];
    if (element.valid) begin
      if (r == 0 | (r == GroupRows & element.tile)) sum_in = '0;
      else sum_in = sum_q[r-1];
      if (r >= 32'(element.first_row) & r <= 32'(element.last_row)) begin
        tensor_lane_pkg::fma_row(sum_q[r], weight_q[(32'(element.bank)*Parts + 32'(element.part))*Rows + r], moving_q[chosen][r],
                                 sum_in);
      end else begin
        sum_q[r] = sum_in;
      end
    end
  endfunction

  // Weights that reach row r in this cycle.
  function automatic void load_step(int unsigned r);
    int unsigned s;
    load_t load;
    s    = slot(r);
    load = load_q[s];
    if (r >= GroupRows & (load.tile | ~load.valid)) begin
      s    = slot(r - GroupRows);
      load = load_q[s];
      load.valid = load.valid & load.tile & load.group;
    end
    if (load.valid & r >= 32'(load.first_row) & r <= 32'(load.last_row)) begin
      for (int unsigned p = 0; p < (load.split ? Parts : 1); p++) begin
        for (int unsigned c = 0; c < 32'(load.number); c++) begin
          weight_q[(32'(load.bank)*Parts + p)*Rows + r][32'(load.column) + c] = load_part_q[(p*LoadColumns + c)*Rows + s][r];
        end
      end
    end
  endfunction

  // The element of stream g that has just been through its last row.
  function automatic element_t leaving_element(int unsigned g);
    element_t element;
    element = element_q[g*Rows + slot(GroupRows - 1)];
    if (g == 0 & ~(element.valid & element.tile)) begin
      element       = element_q[slot(Rows - 1)];
      element.valid = element.valid & ~element.tile;
    end
    return element;
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */
  /* verilator lint_on BLKSEQ */

endmodule
