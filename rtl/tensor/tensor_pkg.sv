// Types of the Tensor engine. The rows and the columns of the array come in groups. A tile is a row group or
// all rows, by a column group or all columns; each tile works on its own matmul. Every pair of groups has a
// stream of moving elements; if all rows or all columns work together, they use the stream of the first
// group.
package tensor_pkg;

  import cfg_pkg::*;
  import core_pkg::*;
  import isa_pkg::*;

  localparam int unsigned RowGroups    = ArrayRowGroups;
  localparam int unsigned ColumnGroups = ArrayColumnGroups;
  localparam int unsigned Streams      = RowGroups * ColumnGroups;  // column group * RowGroups + row group
  localparam int unsigned GroupRows    = Rows / RowGroups;
  localparam int unsigned GroupCols    = Cols / ColumnGroups;
  localparam int unsigned LoadColumns  = 4;   // most columns of the stationary operand that enter the array in a cycle
  localparam int unsigned LoadWords    = 2;   // words of a partition that its port reads in a cycle
  localparam int unsigned MinInterval  = 64;  // cycles between matmuls with at least that many columns (public cost rule)
  localparam int unsigned RowBits      = $clog2(Rows);
  localparam int unsigned ColBits      = $clog2(Cols);
  typedef logic [RowBits-1:0] array_row_t;
  typedef logic [$clog2(LoadColumns):0] load_count_t;

  // The array is built of blocks of neighbouring rows; a block lies within one row group.
  localparam int unsigned Blocks       = Rows % 8 == 0 ? 8 : 4;
  localparam int unsigned BlockRows    = Rows / Blocks;
  localparam int unsigned GroupBlocks  = Blocks / RowGroups;
  localparam int unsigned UpperBlocks  = Blocks / 4;  // the others are simulated as a separate model; see pe_lower
  typedef logic [RowBits:0] row_count_t;
  typedef logic [$clog2(Streams)-1:0] stream_t;

  // The parts of a stationary operand that a processing element keeps: the operand, or the high and the low
  // part of an fp32 one.
  typedef enum logic {PartHigh, PartLow} part_e;
  localparam int unsigned Parts = 2;

  // A decoded instruction.
  typedef struct packed {
    logic              load;       // load_stationary, else multiply_moving
    logic              row_tile;
    logic              column_tile;
    stream_t           stream;
    dtype_e            dtype;
    logic              low;        // operand a has low parts: it is fp32, and not only 0 and 1
    logic              other_low;  // matmul: the stationary operand has low parts
    row_count_t        rows;       // active rows, from the first of the array or group
    logic [8:0]        columns;
    logic              accumulate;
    logic [3:0][15:0]  count;
    logic [3:0][15:0]  a_step;     // elements, signed
    logic [17:0]       a_offset;   // bytes in the SBUF partition
    logic              wide;       // neighbouring elements of operand a are so far apart that a read takes two cycles
    logic [3:0][15:0]  dst_step;   // elements, signed
    logic [13:0]       dst_offset; // bytes in the PSUM partition
    lane_t             dst_lane;   // first PSUM partition
  } command_t;

  // Control that enters the array with a moving element.
  typedef struct packed {
    logic       valid;
    logic       row_tile;
    logic       column_tile;
    logic       bank;        // weight bank
    part_e      part;        // part of the stationary operand
    row_count_t rows;        // active rows
    psum_row_t  psum_row;
    logic       accumulate;
    lane_t      dst_lane;
    logic [8:0] columns;
    logic       last;        // last element of the instruction
    number_t    number;      // number of the instruction
  } element_t;

  // Control that travels with up to LoadColumns columns of a stationary operand.
  typedef struct packed {
    logic       valid;
    logic       row_tile;
    stream_t    stream;
    logic       bank;
    logic       split;       // fp32: both parts come
    row_count_t rows;        // active rows
    logic [ColBits-1:0] column;
    load_count_t number;     // number of columns in this beat
  } load_t;

  // Control that an element, or a beat of stationary columns, takes through the rows, one row a cycle. Its
  // data for row k waits k cycles in `slot` of the skew memories.
  typedef struct packed {
    logic       valid;
    logic       row_tile;
    logic       column_tile;
    logic       first;       // a chain of products begins here
    logic       bank;
    part_e      part;
    row_count_t rows;        // active rows from here on
    array_row_t slot;
  } step_t;

  typedef struct packed {
    logic       valid;
    logic       row_tile;
    logic       bank;
    logic       split;
    row_count_t rows;        // active rows from here on
    logic [ColBits-1:0] column;
    load_count_t number;
    array_row_t slot;
  } load_step_t;

  function automatic int unsigned row_group(stream_t stream);
    return 32'(stream) % RowGroups;
  endfunction

  function automatic int unsigned column_group(stream_t stream);
    return 32'(stream) / RowGroups;
  endfunction

  // Returns the first row that a stream works on.
  function automatic int unsigned first_row(logic row_tile, stream_t stream);
    return row_tile ? row_group(stream) * GroupRows : 0;
  endfunction

  // Activity of the engine in a cycle of its clock, for counters.
  typedef struct packed {
    logic matmul;       // an element enters the array
    logic load_fast;    // LoadColumns columns of a stationary operand enter
    logic load_normal;  // fewer columns enter
    logic idle;         // nothing is under way
  } activity_t;

  function automatic row_count_t rows_below(row_count_t rows);
    return 32'(rows) > BlockRows ? rows - row_count_t'(BlockRows) : '0;
  endfunction

endpackage
