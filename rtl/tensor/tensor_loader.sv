// Loads the stationary operand: four columns a cycle where the operand is one-dimensional, else one.
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
  // SBUF read ports, one a column; data in the cycle after re_o
  output logic      re_o,
  output sbuf_row_t raddr_o [LoadColumns],
  input  row_t      rdata_i [LoadColumns],
  // To the array
  output load_t     load_o,
  output row_t      part_o [Parts*LoadColumns],  // [part][column]
  output logic      busy_o
);

  /* verilator lint_off UNUSEDSIGNAL */  // a record of which only a part is needed here
  command_t    command_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic        bank_q, valid, last, flat, flat_q;
  logic [17:0] addr, step_bytes;
  logic [8:0]  column_q, left;
  logic [17:0] addrs [LoadColumns];

  // A one-dimensional operand is walked in steps of four columns, which take more bits than a step of the instruction.
  localparam int unsigned StepBits = 16 + $clog2(LoadColumns);
  assign flat = command_i.count[3:1] == {16'd1, 16'd1, 16'd1};
  logic [3:0][15:0]         count;
  logic [3:0][StepBits-1:0] step;
  always_comb begin
    count = command_i.count;
    for (int unsigned d = 0; d < 4; d++) step[d] = StepBits'(signed'(command_i.a_step[d]));
    if (flat) begin
      count[0] = (command_i.count[0] + 16'(LoadColumns) - 16'd1) / 16'(LoadColumns);
      step[0]  = step[0] << $clog2(LoadColumns);
    end
  end

  ap_iterator #(.AddrBits(18), .StepBits(StepBits)) u_a (
    .clk_i, .rst_ni, .load_i(start_i), .count_i(count), .step_i(step),
    .size_i(dtype_size(command_i.dtype)), .start_i(command_i.a_offset),
    .valid_o(valid), .addr_o(addr), .last_o(last), .advance_i(valid)
  );

  assign ready_o    = ~valid | last;
  assign step_bytes = 18'({{16{command_q.a_step[0][15]}}, command_q.a_step[0]} << dtype_size(command_q.dtype));
  assign left       = command_q.columns - column_q;
  assign re_o       = valid;
  always_comb begin
    addrs[0] = addr;
    for (int unsigned c = 1; c < LoadColumns; c++) addrs[c] = addrs[c-1] + step_bytes;
  end
  for (genvar c = 0; c < LoadColumns; c++) begin : g_addr
    assign raddr_o[c] = sbuf_row_t'(addrs[c] >> 2);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      command_q <= '0;
      bank_q    <= 1'b0;
      flat_q    <= 1'b0;
      column_q  <= '0;
    end else if (start_i) begin
      command_q <= command_i;
      bank_q    <= bank_i;
      flat_q    <= flat;
      column_q  <= '0;
    end else if (valid) begin
      column_q <= column_q + (flat_q ? 9'(LoadColumns) : 9'd1);
    end
  end

  // Decode stage
  load_t      load_q;
  dtype_e     dtype_q;
  logic [1:0] byte_q [LoadColumns];
  logic       last_q;
  row_t       raw, decoded;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_q  <= '0;
      dtype_q <= DtypeBf16;
      last_q  <= 1'b0;
      load_o  <= '0;
    end else begin
      load_q.valid     <= valid;
      load_q.tile      <= command_q.tile;
      load_q.group     <= command_q.group;
      load_q.bank      <= bank_q;
      load_q.split     <= command_q.dtype == DtypeFp32;
      load_q.rows      <= command_q.rows;
      load_q.column    <= ColBits'(column_q);
      load_q.number    <= ~flat_q ? 3'd1 : left < 9'(LoadColumns) ? 3'(left) : 3'(LoadColumns);
      dtype_q          <= command_q.dtype;
      last_q           <= valid & last;
      for (int unsigned c = 0; c < LoadColumns; c++) byte_q[c] <= addrs[c][1:0];
      load_o <= load_q;
      if (load_q.valid) begin
        for (int unsigned c = 0; c < LoadColumns; c++) begin
          row_pkg::extract_row(raw, rdata_i[c], dtype_size(dtype_q), byte_q[c]);
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
    end
  end
  `endif

endmodule
