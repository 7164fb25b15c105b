// Decodes a Tensor-engine instruction and says why it cannot run. It is combinational except for the memory
// of each tile's stationary operand, which the moving operand must match. Address ranges, alignment and
// partition starts have been checked before.
module tensor_decode
  import cfg_pkg::*;
  import core_pkg::*;
  import isa_pkg::*;
  import tensor_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [511:0] instr_i,
  input  logic         accept_i,  // the instruction is accepted in this cycle
  output command_t     command_o,
  output error_e       reject_o
);

  localparam int unsigned BankBytes = PsumBytes / PsumBanks;
  localparam int unsigned BankBits  = $clog2(BankBytes);
  localparam int unsigned BankWords = BankBytes / 4;

  // Both formats have shape, operand a, partitions and row_tile at the same places.
  /* verilator lint_off UNUSEDSIGNAL */
  matmul_t instr;
  /* verilator lint_on UNUSEDSIGNAL */
  assign instr = matmul_t'(instr_i);

  // Classes of types that can multiply each other: narrow types in any mix, types of four bytes in any mix.
  typedef enum logic {ClassNarrow, ClassWide} class_e;

  logic        load, float_type, dst_psum, a_sbuf, dst_crosses;
  logic [31:0] first, last;
  logic [63:0] elements;
  logic [17:0] lowest, highest;
  class_e      type_class;
  logic        fits, low;
  stream_t     stream;
  logic [31:0] group;         // number of the row group
  logic [31:0] most_columns;

  // The stationary operand that was loaded last, by stream.
  typedef struct packed {
    logic        valid;
    class_e      type_class;
    logic        low;         // it has low parts
    logic [31:0] last;
    logic [31:0] columns;
  } loaded_t;
  loaded_t [Streams-1:0] loaded_q;
  logic                  row_tile_q, column_tile_q;

  assign load       = instr.opcode == OpLoadStationary;
  assign a_sbuf     = instr.a_addr < WindowPsumBase;
  assign dst_psum   = instr.dst_addr >= WindowPsumBase & instr.dst_addr < WindowEventBase;
  assign first      = instr.a_addr >> SbufStrideBits;
  assign last       = first + 32'(instr.partitions) - 32'd1;
  assign elements   = 64'(instr.count0) * 64'(instr.count1) * 64'(instr.count2) * 64'(instr.count3);
  assign group        = instr.row_tile ? first / GroupRows : '0;
  assign most_columns = instr.column_tile ? GroupCols : Cols;
  assign stream       = stream_t'((instr.column_tile ? 32'(instr.column_group) : '0) * RowGroups + group);
  assign type_class = dtype_size(instr.a_dtype) == 2'd2 ? ClassWide : ClassNarrow;
  assign low        = instr.a_dtype == DtypeFp32 & !instr.onezero;

  always_comb begin
    case (instr.a_dtype)
      DtypeBf16, DtypeFp16, DtypeFp32, DtypeTf32, DtypeFp8E3m4, DtypeFp8E4m3, DtypeFp8E5m2: float_type = 1'b1;
      default: float_type = 1'b0;
    endcase
  end

  // The lowest and the highest byte of the destination within its PSUM partition.
  logic [3:0][15:0] count, dst_step;
  assign count    = {instr.count3, instr.count2, instr.count1, instr.count0};
  assign dst_step = {instr.dst_step3, instr.dst_step2, instr.dst_step1, instr.dst_step0};
  always_comb begin
    lowest  = 18'(instr.dst_addr[PsumStrideBits-1:0]);
    highest = lowest + 18'd3;
    for (int unsigned d = 0; d < 4; d++) begin
      if (dst_step[d][15]) lowest = lowest + 18'({{16{dst_step[d][15]}}, dst_step[d]} * (32'(count[d]) - 32'd1) << 2);
      else highest = highest + 18'(32'(dst_step[d]) * (32'(count[d]) - 32'd1) << 2);
    end
  end
  assign dst_crosses = lowest[17:BankBits] != highest[17:BankBits];

  always_comb begin
    reject_o = ErrorNone;
    if (!load & instr.opcode != OpMultiplyMoving) reject_o = ErrorIllegalInstruction;
    else if (!a_sbuf | (!load & !dst_psum)) reject_o = ErrorUnsupportedOperand;
    else if (!float_type | (!load & instr.dst_dtype != DtypeFp32)) reject_o = ErrorDtype;
    else if (last >= Rows) reject_o = ErrorPartitionRange;
    else if (first != group * GroupRows | (instr.row_tile & instr.partitions > 9'(GroupRows))) reject_o = ErrorPartitionStart;
    else if (instr.column_tile ? 32'(instr.column_group) >= ColumnGroups : instr.column_group != '0) reject_o = ErrorShape;
    else if (load & elements > 64'(most_columns)) reject_o = ErrorShape;
    else if (!load & (instr.columns == 9'd0 | 32'(instr.columns) > most_columns | elements > 64'(BankWords))) reject_o = ErrorShape;
    else if (!load & dst_crosses) reject_o = ErrorBankCrossing;
    else if (!load & !fits) reject_o = ErrorStationaryOperand;
    else if (!load & loaded_q[stream].type_class != type_class) reject_o = ErrorDtype;
  end

  always_comb begin
    command_o            = '0;
    command_o.load       = load;
    command_o.row_tile   = instr.row_tile;
    command_o.column_tile = instr.column_tile;
    command_o.stream     = stream;
    command_o.dtype      = instr.a_dtype;
    command_o.low        = low;
    command_o.other_low  = loaded_q[stream].low;
    command_o.rows       = row_count_t'(instr.partitions);
    command_o.columns    = load ? 9'(elements) : instr.columns;
    command_o.accumulate = instr.accumulate;
    command_o.count      = count;
    command_o.a_step     = {instr.a_step3, instr.a_step2, instr.a_step1, instr.a_step0};
    command_o.wide       = operand_shape_pkg::half_rate(count, command_o.a_step, dtype_size(instr.a_dtype));
    command_o.a_offset   = 18'(instr.a_addr & ((32'd1 << SbufStrideBits) - 32'd1));
    command_o.dst_step   = dst_step;
    command_o.dst_offset = instr.dst_addr[PsumStrideBits-1:0];
    command_o.dst_lane   = lane_t'((instr.dst_addr - WindowPsumBase) >> PsumStrideBits);
  end

  assign fits = loaded_q[stream].valid & row_tile_q == instr.row_tile & column_tile_q == instr.column_tile & last <= loaded_q[stream].last &
                32'(instr.columns) <= loaded_q[stream].columns;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q      <= '0;
      row_tile_q    <= 1'b0;
      column_tile_q <= 1'b0;
    end else if (accept_i & load) begin
      // A change of the tile size makes all loaded operands invalid.
      if (row_tile_q != instr.row_tile | column_tile_q != instr.column_tile) loaded_q <= '0;
      row_tile_q       <= instr.row_tile;
      column_tile_q    <= instr.column_tile;
      loaded_q[stream] <= '{valid: 1'b1, type_class: type_class, low: low, last: last, columns: 32'(elements)};
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      RejectKnown: assert (accept_i -> reject_o == ErrorNone);
    end
  end
  `endif

endmodule
