// The Tensor engine: a queue of decoded instructions, a loader for the stationary operand, one stream for
// each tile for the moving operand, and the systolic array. Instructions start in order; loads run in the
// background of matmuls into the other weight bank; completion is reported in order.
module tensor_engine
  import core_pkg::*;
  import isa_pkg::*;
  import tensor_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  // Instruction; reject_o is the verdict on instr_i
  input  logic         instr_valid_i,
  input  logic [511:0] instr_i,
  output logic         instr_ready_o,
  output error_e       reject_o,
  output logic         done_o,
  output logic         busy_o,
  output activity_t    activity_o,
  // SBUF: each stream reads a word of each partition of its row group, or of all partitions where the array
  // is not in row tiles; a read happens in a cycle with its grant. The stationary operand reads an aligned
  // pair of words
  output logic         row_tile_o,
  output logic [RowGroups-1:0] moving_req_o,
  input  logic [RowGroups-1:0] moving_gnt_i,
  output logic [Streams-1:0] moving_re_o,      // granted
  output sbuf_row_t    moving_raddr_o [Streams],
  output partitions_t  moving_rparts_o [Streams],          // wanted partitions
  input  row_t [ColumnGroups-1:0] moving_rdata_i,
  output logic         stationary_re_o,
  output sbuf_row_t    stationary_raddr_o [LoadWords],
  output partitions_t  stationary_rparts_o [LoadWords],
  input  row_t [LoadWords-1:0] stationary_rdata_i,
  // PSUM: results of each stream
  output logic [Streams-1:0] psum_we_o,
  output psum_row_t    psum_addr_o [Streams],
  output logic [Streams-1:0] psum_add_o,
  output row_t [Streams-1:0] psum_data_o,
  output mask_t [Streams-1:0] psum_mask_o,
  output number_t      psum_number_o [Streams]
);

  localparam int unsigned Depth     = 16;
  localparam int unsigned DepthBits = $clog2(Depth);
  // Kinds of instructions that complete in an order of their own: matmuls of each stream, and loads
  localparam int unsigned Kinds    = Streams + 1;
  localparam int unsigned KindLoad = Streams;
  typedef logic [$clog2(Kinds)-1:0] kind_t;

  // -------------------------------------------------------------------------------------------- instruction queue
  // An instruction may start cfg_pkg::TensorIssueLatency cycles after it has come (address generation, memory
  // access).
  command_t command;
  command_t queue_q [Depth];
  logic [cfg_pkg::TensorIssueLatency-1:0] arriving_q;  // instructions on their way, by age
  logic [DepthBits:0] due_q;                           // instructions that may start
  logic [DepthBits:0] put_q, get_q;
  logic     accept, start, empty;

  assign empty         = put_q == get_q;
  assign instr_ready_o = put_q - get_q != (DepthBits + 1)'(Depth);
  assign accept        = instr_valid_i & instr_ready_o;

  tensor_decode u_decode (.clk_i, .rst_ni, .instr_i, .accept_i(accept), .command_o(command), .reject_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      put_q <= '0;
      get_q <= '0;
      arriving_q <= '0;
      due_q      <= '0;
    end else begin
      arriving_q <= {arriving_q[cfg_pkg::TensorIssueLatency-2:0], accept};
      due_q      <= due_q + (DepthBits + 1)'(arriving_q[cfg_pkg::TensorIssueLatency-1]) - (DepthBits + 1)'(start);
      if (accept) put_q <= put_q + 1'b1;
      if (start) get_q <= get_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (accept) queue_q[put_q[DepthBits-1:0]] <= command;
  end

  // -------------------------------------------------------------------------------------------------------- start
  command_t head;
  logic     due, settled, clear, order_full;
  logic [Streams-1:0] stream_start, stream_ready, stream_busy;
  logic     loader_start, loader_ready, loader_done, loader_busy, array_busy;
  logic     row_tile_q, column_tile_q;   // the array works in tiles
  number_t  number_q;                    // number of the head
  logic [Streams-1:0] bank_q, loaded_q;  // bank in use; the other bank has been loaded since
  logic [Streams-1:0] bank;
  logic [Streams-1:0][DepthBits:0] flying_q;  // matmuls that have started and not completed
  logic [Streams-1:0] flying;            // a matmul is flying
  logic     collides;

  // The PSUM bank and partitions that the last started matmul writes.
  localparam int unsigned PsumBankBits = $clog2(cfg_pkg::PsumBytes / cfg_pkg::PsumBanks);
  typedef struct packed {
    logic [13-PsumBankBits:0] bank;
    logic [8:0]               first;
    logic [8:0]               last;
  } target_t;
  target_t [Streams-1:0] target_q;
  target_t target;

  assign head   = queue_q[get_q[DepthBits-1:0]];
  assign due    = due_q != '0;
  assign target = '{bank: head.dst_offset[13:PsumBankBits], first: 9'(head.dst_lane), last: 9'(head.dst_lane) + head.columns - 9'd1};
  // A change to tiles of another size waits until the array is empty.
  assign settled = (head.row_tile == row_tile_q & head.column_tile == column_tile_q) |
                   ~((|stream_busy) | loader_busy | array_busy);
  // Two row groups never write the same PSUM bank at a time, and two tiles never the same words of a bank.
  always_comb begin
    collides = 1'b0;
    for (int unsigned s = 0; s < Streams; s++) begin
      if (s != 32'(head.stream) & flying[s] & target_q[s].bank == target.bank) begin
        if (row_group(stream_t'(s)) != row_group(head.stream)) collides = 1'b1;
        if (target_q[s].first <= target.last & target.first <= target_q[s].last) collides = 1'b1;
      end
    end
  end
  for (genvar s = 0; s < Streams; s++) begin : g_flying
    assign flying[s] = flying_q[s] != '0;
  end
  assign clear = due & settled & ~order_full;

  always_comb begin
    loader_start = clear & head.load & loader_ready;
    for (int unsigned s = 0; s < Streams; s++) begin
      stream_start[s] = clear & ~head.load & 32'(head.stream) == s & stream_ready[s] & loader_ready & ~collides;
      bank[s]         = bank_q[s] ^ loaded_q[s];
    end
  end
  assign start = loader_start | (|stream_start);
  assign row_tile_o = row_tile_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_tile_q    <= 1'b0;
      column_tile_q <= 1'b0;
      number_q      <= '0;
      bank_q        <= '0;
      loaded_q      <= '0;
      target_q      <= '0;
    end else begin
      if (start) begin
        row_tile_q    <= head.row_tile;
        column_tile_q <= head.column_tile;
        number_q      <= number_q + 1'b1;
      end
      if (loader_start) loaded_q[head.stream] <= 1'b1;
      for (int unsigned s = 0; s < Streams; s++) begin
        if (stream_start[s]) begin
          bank_q[s]   <= bank[s];
          loaded_q[s] <= 1'b0;
          target_q[s] <= target;
        end
      end
    end
  end

  // The streams of a row group read the same partitions, so they share a port and take turns: a word of each
  // partition a cycle.
  logic [Streams-1:0] read_req, read_gnt;
  logic [RowGroups-1:0][ColumnGroups-1:0] turn_q, turn;  // a bit for each column group: last reader, next reader
  always_comb begin
    for (int unsigned g = 0; g < RowGroups; g++) begin
      turn[g]         = turn_q[g];
      moving_req_o[g] = 1'b0;
      for (int unsigned k = ColumnGroups; k > 0; k--) begin
        for (int unsigned c = 0; c < ColumnGroups; c++) begin
          if (turn_q[g][c] & read_req[((c + k) % ColumnGroups) * RowGroups + g]) begin
            turn[g]         = ColumnGroups'(1) << ((c + k) % ColumnGroups);
            moving_req_o[g] = 1'b1;
          end
        end
      end
      for (int unsigned c = 0; c < ColumnGroups; c++) begin
        read_gnt[c*RowGroups+g] = moving_gnt_i[g] & turn[g][c] & read_req[c*RowGroups+g];
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q <= {RowGroups{ColumnGroups'(1)}};
    end else begin
      for (int unsigned g = 0; g < RowGroups; g++) begin
        if (moving_gnt_i[g]) turn_q[g] <= turn[g];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------- data path
  element_t element [Streams];
  row_t     moving [Streams];
  load_t    load;
  row_t     load_part [Parts*LoadColumns];
  element_t result [Streams];
  row_t     data [Streams];

  row_count_t rows [Streams];
  for (genvar g = 0; g < Streams; g++) begin : g_stream
    localparam int unsigned ColumnGroup = column_group(stream_t'(g));
    assign moving_rparts_o[g] = '{first: lane_t'(first_row(row_tile_q, stream_t'(g))), count: 9'(rows[g])};
    tensor_stream u_stream (
      .clk_i, .rst_ni, .start_i(stream_start[g]), .ready_o(stream_ready[g]), .command_i(head), .bank_i(bank[g]),
      .number_i(number_q), .req_o(read_req[g]), .gnt_i(read_gnt[g]), .re_o(moving_re_o[g]), .raddr_o(moving_raddr_o[g]),
      .rows_o(rows[g]), .rdata_i(moving_rdata_i[ColumnGroup]),
      .element_o(element[g]), .moving_o(moving[g]), .busy_o(stream_busy[g])
    );
  end

  tensor_loader u_loader (
    .clk_i, .rst_ni, .start_i(loader_start), .ready_o(loader_ready), .command_i(head), .bank_i(~bank_q[head.stream]),
    .done_o(loader_done), .re_o(stationary_re_o), .raddr_o(stationary_raddr_o), .rparts_o(stationary_rparts_o),
    .rdata_i(stationary_rdata_i),
    .load_o(load), .part_o(load_part), .busy_o(loader_busy)
  );

  pe_array u_array (
    .clk_i, .rst_ni, .element_i(element), .moving_i(moving), .load_i(load), .load_part_i(load_part),
    .result_o(result), .data_o(data), .busy_o(array_busy)
  );

  for (genvar g = 0; g < Streams; g++) begin : g_result
    logic [1:0] quadrant;
    assign quadrant      = 2'(result[g].dst_lane / lane_t'(Quadrant));
    assign psum_we_o[g]  = result[g].valid;
    assign psum_addr_o[g] = result[g].psum_row;
    assign psum_add_o[g] = result[g].accumulate;
    assign psum_number_o[g] = result[g].number;
    assign psum_mask_o[g] = row_pkg::partition_mask(quadrant, result[g].columns);
    always_comb begin
      psum_data_o[g] = data[g];
      if (quadrant != 2'd0) row_pkg::rotate_to_partitions(psum_data_o[g], data[g], quadrant);
    end
  end

  // --------------------------------------------------------------------------------------------------- completion
  // Each unit completes in its own order; order_q restores the order of the program.
  kind_t order_q [Depth];
  logic [DepthBits:0] order_put_q, order_get_q;
  logic [Kinds-1:0][DepthBits:0] finished_q;
  logic [Kinds-1:0] finish, retire;
  kind_t oldest;

  assign oldest     = order_q[order_get_q[DepthBits-1:0]];
  assign order_full = order_put_q - order_get_q == (DepthBits + 1)'(Depth);
  assign done_o     = order_put_q != order_get_q & finished_q[oldest] != '0;
  assign finish[KindLoad] = loader_done;
  for (genvar s = 0; s < Streams; s++) begin : g_finish
    assign finish[s] = result[s].valid & result[s].last;
  end
  assign retire     = Kinds'(done_o) << oldest;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      order_put_q <= '0;
      order_get_q <= '0;
      finished_q  <= '0;
      flying_q    <= '0;
    end else begin
      if (start) order_put_q <= order_put_q + 1'b1;
      if (done_o) order_get_q <= order_get_q + 1'b1;
      for (int unsigned k = 0; k < Kinds; k++) begin
        finished_q[k] <= finished_q[k] + (DepthBits + 1)'(finish[k]) - (DepthBits + 1)'(retire[k]);
      end
      for (int unsigned g = 0; g < Streams; g++) begin
        flying_q[g] <= flying_q[g] + (DepthBits + 1)'(stream_start[g]) - (DepthBits + 1)'(finish[g]);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (start) order_q[order_put_q[DepthBits-1:0]] <= loader_start ? kind_t'(KindLoad) : kind_t'(head.stream);
  end

  logic [Streams-1:0] entering;
  for (genvar g = 0; g < Streams; g++) begin : g_entering
    assign entering[g] = element[g].valid;
  end
  assign activity_o = '{matmul: |entering, load_fast: load.valid & 32'(load.number) == LoadColumns,
                        load_normal: load.valid & 32'(load.number) != LoadColumns, idle: !busy_o};

  assign busy_o = ~empty | order_put_q != order_get_q | (|stream_busy) | loader_busy | array_busy;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneReader: assert ((read_gnt & ~read_req) == '0);
      ReadyKnown: assert (!$isunknown({instr_ready_o, done_o, busy_o}));
      OneStart: assert ($onehot0({loader_start, stream_start}));
      FinishedInOrder: assert ((|finish) -> order_put_q != order_get_q);
      FinishedHasFlown: assert ((finish[Streams-1:0] & ~flying) == '0);
    end
  end
  `endif

endmodule
