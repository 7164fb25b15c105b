// Loads the stationary operand. In a cycle the port gives an aligned pair of words of every partition, and
// the neighbouring columns in it, up to LoadColumns, are taken together. An operand of wide steps takes two
// cycles for each read.
module tensor_loader
  import core_pkg::*;
  import isa_pkg::*;
  import tensor_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_ni,
  // Start of a load into weight bank bank_i
  input  logic      start_i,
  output logic      ready_o,
  input  command_t  command_i,
  input  logic      bank_i,
  output logic      done_o,   // pulse: the operand has been read
  // SBUF read port: an aligned pair of words; data in the cycle after re_o
  output logic      re_o,
  output sbuf_row_t raddr_o [LoadWords],
  output partitions_t rparts_o [LoadWords],  // wanted partitions
  input  row_t [LoadWords-1:0] rdata_i,
  // To the array
  output load_t     load_o,
  output row_t      part_o [Parts*LoadColumns],  // [part][column]
  output logic      busy_o
);

  /* verilator lint_off UNUSEDSIGNAL */  // only a part of the record is used
  command_t    command_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic        bank_q, valid, take, last, last_line, line_end;
  logic        second_q;          // second cycle of a read of wide steps
  logic [17:0] line, step_bytes;
  logic [8:0]  column_q;
  logic [15:0] taken_q, left;     // columns of the line that are taken, and left
  logic [17:0] offset_q;          // offset of the rest in the line
  logic [17:0] addrs [LoadColumns + 1];
  load_count_t number;            // number of columns in this beat

  // Lines: the turns of dimensions 1 to 3. Dimension 0 is walked here, up to LoadColumns elements at a time.
  ap_iterator #(.AddrBits(18)) u_lines (
    .clk_i, .rst_ni, .load_i(start_i), .count_i({16'd1, command_i.count[3:1]}), .step_i({16'd0, command_i.a_step[3:1]}),
    .size_i(dtype_size(command_i.dtype)), .start_i(command_i.a_offset),
    .valid_o(valid), .addr_o(line), .last_o(last_line), .advance_i(line_end)
  );

  assign step_bytes = 18'({{16{command_q.a_step[0][15]}}, command_q.a_step[0]} << dtype_size(command_q.dtype));
  assign left       = command_q.count[0] - taken_q;
  always_comb begin
    addrs[0] = line + offset_q;
    for (int unsigned c = 1; c <= LoadColumns; c++) addrs[c] = addrs[c-1] + step_bytes;
    number = load_count_t'(1);
    for (int unsigned c = 1; c < LoadColumns; c++) begin
      if (32'(number) == c & c < 32'(left) & addrs[c][17:3] == addrs[0][17:3]) number = load_count_t'(c + 1);
    end
  end

  assign take     = valid & (!command_q.wide | second_q);
  assign line_end = take & 16'(number) == left;
  assign last     = line_end & last_line;
  assign ready_o  = !valid | last;
  assign re_o     = take;
  for (genvar w = 0; w < LoadWords; w++) begin : g_word
    assign raddr_o[w] = sbuf_row_t'({addrs[0][17:3], 1'(w)});
  end
  always_comb begin
    for (int unsigned w = 0; w < LoadWords; w++) begin
      rparts_o[w] = '{first: lane_t'(first_row(command_q.row_tile, command_q.stream)), count: '0};
      for (int unsigned c = 0; c < LoadColumns; c++) begin
        if (c < 32'(number) & 32'(addrs[c][2]) == w) rparts_o[w].count = 9'(command_q.rows);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      command_q <= '0;
      bank_q    <= 1'b0;
      second_q  <= 1'b0;
      column_q  <= '0;
      taken_q   <= '0;
      offset_q  <= '0;
    end else if (start_i) begin
      command_q <= command_i;
      bank_q    <= bank_i;
      second_q  <= 1'b0;
      column_q  <= '0;
      taken_q   <= '0;
      offset_q  <= '0;
    end else if (valid) begin
      second_q <= !second_q;
      if (take) begin
        column_q <= column_q + 9'(number);
        taken_q  <= line_end ? '0 : taken_q + 16'(number);
        offset_q <= line_end ? '0 : addrs[number] - line;
      end
    end
  end

  // Decode stage
  load_t      load_q;
  dtype_e     dtype_q;
  logic [2:0] byte_q [LoadColumns];
  logic       last_q;
  row_t       raw, decoded;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_q  <= '0;
      dtype_q <= DtypeBf16;
      last_q  <= 1'b0;
      load_o  <= '0;
    end else begin
      load_q.valid     <= take;
      load_q.row_tile  <= command_q.row_tile;
      load_q.stream    <= command_q.stream;
      load_q.bank      <= bank_q;
      load_q.split     <= command_q.low;
      load_q.rows      <= command_q.rows;
      load_q.column    <= ColBits'(column_group(command_q.stream) * GroupCols + 32'(column_q));
      load_q.number    <= number;
      dtype_q          <= command_q.dtype;
      last_q           <= last;
      for (int unsigned c = 0; c < LoadColumns; c++) byte_q[c] <= addrs[c][2:0];
      load_o <= load_q;
      if (load_q.valid) begin
        for (int unsigned c = 0; c < LoadColumns; c++) begin
          row_pkg::extract_row(raw, rdata_i[byte_q[c][2]], dtype_size(dtype_q), byte_q[c][1:0]);
          tensor_lane_pkg::decode_row(decoded, raw, dtype_q, 1'b1);
          part_o[32'(PartHigh)*LoadColumns+c] <= decoded;
          if (load_q.split) begin
            tensor_lane_pkg::decode_row(decoded, raw, dtype_q, 1'b0);
            part_o[32'(PartLow)*LoadColumns+c] <= decoded;
          end
        end
      end
    end
  end

  assign done_o = last_q;
  assign busy_o = valid | load_q.valid | load_o.valid;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      StartWhenReady: assert (start_i -> ready_o);
      LoadKnown: assert (!$isunknown(load_o.valid));
      WithinColumns: assert (load_q.valid -> 32'(load_q.column) + 32'(load_q.number) <= cfg_pkg::Cols);
      OnePair: assert (take -> addrs[number-1][17:3] == addrs[0][17:3]);
    end
  end
  `endif

endmodule
