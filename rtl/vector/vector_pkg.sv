// Decoded instructions of an elementwise engine and the memory regions they touch.
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole operations and look at some fields
package vector_pkg;

  import cfg_pkg::*;
  import isa_pkg::*;
  import core_pkg::*;
  import vector_special_pkg::*;

  // Shortest distance between the starts of two instructions, in Vector cycles (public cost tables).
  localparam int unsigned MinInterval = 64;
  // Instructions between their first read and their last write.
  localparam int unsigned Banks = 2;

  // Byte offset within a partition of either memory.
  localparam int unsigned OffsetBits = MemoryRowBits + 2;
  typedef memory_row_t row_index_t;
  typedef logic [OffsetBits-1:0] offset_t;

  typedef logic [3:0][15:0] count_t;

  // A tensor operand; partitions start at quadrant `first`.
  typedef struct packed {
    logic       psum;
    logic [1:0] first;
    offset_t    offset;
    count_t     step;
    dtype_e     dtype;
  } operand_t;

  // The second operand of an operation when it is not a tensor: a constant, or a [partitions,1] fp32 operand in SBUF.
  typedef struct packed {
    logic        used;
    logic        is_vector;
    logic [31:0] value;
    logic [1:0]  first;
    sbuf_row_t   row;
  } immediate_t;

  // The second operand of an operation: its immediate, the tensor b, or the result of the element before.
  typedef enum logic [1:0] {SecondImmediate, SecondTensor, SecondResult} second_e;

  // One of the two operations of the lanes; `reverse` swaps its operands.
  typedef struct packed {
    alu_op_e op;
    logic    reverse;
    second_e second;
  } alu_t;

  // What the second stage of the lanes makes of an element: an operation; x where b is not 0, else imm1; the accumulator
  // registers; both bf16 elements of x reduced.
  typedef enum logic [1:0] {MakeOperation, MakeSelection, MakeAccumulator, MakePairReduction} make_e;

  // How a reduction into the accumulator registers starts: it goes on from them, or from imm1, or anew.
  typedef enum logic [1:0] {StartContinue, StartImmediate, StartAnew} acc_start_e;

  typedef struct packed {
    logic       enable;
    alu_op_e    op;
    acc_start_e start;
  } accumulate_t;

  // Control of the two stages of the lanes.
  typedef struct packed {
    alu_t alu;
    logic keep_b;  // the second stage needs b
  } first_stage_t;

  typedef struct packed {
    make_e       make;
    alu_t        alu;
    logic        negate;     // the result of a group changes its sign
    logic        predicate;  // results are written where x is not 0
    logic        invert;     // the predicate is inverted
    accumulate_t acc;
  } second_stage_t;

  // Which unit makes the results: the lanes, one for each element they are told to write, or a unit with a result count of its
  // own.
  typedef enum logic [1:0] {UnitLanes, UnitBnStats, UnitBnAggr, UnitSpecial} unit_e;

  // After every `period` elements the next one waits for `extra` more cycles.
  typedef struct packed {
    logic [1:0] period;
    logic [3:0] extra;
  } pace_t;

  // An element on its way through the lanes. A group is what one reduction, or one recurrence, goes over.
  typedef struct packed {
    logic       valid;
    logic       bank;
    logic       first;  // of its group
    logic       last;   // of its group
    logic       write;  // the lanes' result is written
    logic [1:0] phase;  // place in the period of the pace
    logic       value;  // an element of b that comes before those of a
  } slot_t;

  typedef struct packed {
    logic               reuse_words;  // an element whose word was read for the one before it needs no read
    logic         [8:0] partitions;
    logic         [8:0] dst_partitions;
    count_t             count;        // elements taken from a, and from b but for an operand with a number of its own
    count_t             b_count;
    count_t             dst_count;    // results
    operand_t           dst;
    operand_t           a;
    operand_t           b;
    logic               reads_a;      // a is read; if not, its elements have no meaning
    logic               uses_b;
    logic               raw_a;        // element bits pass unchanged: of a, of b, of results
    logic               raw_b;
    logic               raw;
    logic         [2:0] group_axes;   // innermost dimensions that make a group
    logic               write_groups; // one result a group, else one an element
    pace_t              pace;
    unit_e              unit;
    special_e           special;
    logic               values_first; // all of b comes before the elements of a
    logic               no_dst;       // nothing is written
    logic               stochastic;   // rounding to narrower float types
    logic [Quadrant-1:0][7:0] entries;  // of a shuffle mask
    first_stage_t       first_stage;
    second_stage_t      second_stage;
    immediate_t   [1:0] imm;
  } vector_op_t;

  // Rows low to high of the partitions in `quadrants`: what an operand may touch.
  typedef struct packed {
    logic       used;
    logic       psum;
    logic [3:0] quadrants;
    row_index_t low;
    row_index_t high;
  } region_t;

  typedef struct packed {
    region_t dst;
    region_t a;
    region_t b;
    region_t [1:0] imm;
  } regions_t;

  function automatic logic in_psum(logic [31:0] address);
    return address[25];
  endfunction

  function automatic logic [1:0] first_quadrant(logic [31:0] address);
    return in_psum(address) ? address[PsumStrideBits+$clog2(Lanes)-1-:2] : address[SbufStrideBits+$clog2(Lanes)-1-:2];
  endfunction

  function automatic offset_t partition_offset(logic [31:0] address);
    return in_psum(address) ? OffsetBits'(address[PsumStrideBits-1:0]) : OffsetBits'(address[SbufStrideBits-1:0]);
  endfunction

  function automatic operand_t decode_operand(logic [31:0] address, count_t step, dtype_e dtype);
    operand_t operand;
    operand.psum   = in_psum(address);
    operand.first  = first_quadrant(address);
    operand.offset = partition_offset(address);
    operand.step   = step;
    operand.dtype  = dtype;
    return operand;
  endfunction

  function automatic immediate_t decode_immediate(logic used, logic is_vector, logic [31:0] field);
    immediate_t immediate;
    immediate.used      = used;
    immediate.is_vector = used & is_vector;
    immediate.value     = field;
    immediate.first     = first_quadrant(field);
    immediate.row       = SbufRowBits'(partition_offset(field) >> 2);
    return immediate;
  endfunction

  function automatic logic [3:0] quadrant_mask(logic [1:0] first, logic [8:0] partitions);
    logic [3:0] low;
    low = {int'(partitions) > 3 * Quadrant, int'(partitions) > 2 * Quadrant, int'(partitions) > Quadrant, 1'b1};
    return low << first;
  endfunction

  function automatic region_t operand_region(logic used, operand_t operand, count_t count, logic [8:0] partitions);
    region_t region;
    offset_t low, high, reach;
    logic [15:0] steps;
    low  = operand.offset;
    high = operand.offset;
    for (int unsigned k = 0; k < 4; k++) begin
      steps = count[k] - 16'd1;
      reach = OffsetBits'(({16'b0, steps} * {{16{operand.step[k][15]}}, operand.step[k]}) << dtype_size(operand.dtype));
      low  += operand.step[k][15] ? reach : '0;
      high += operand.step[k][15] ? '0 : reach;
    end
    region.used      = used;
    region.psum      = operand.psum;
    region.quadrants = quadrant_mask(operand.first, partitions);
    region.low       = low[OffsetBits-1:2];
    region.high      = high[OffsetBits-1:2];
    return region;
  endfunction

  function automatic region_t immediate_region(immediate_t immediate, logic [8:0] partitions);
    region_t region;
    region.used      = immediate.is_vector;
    region.psum      = 1'b0;
    region.quadrants = quadrant_mask(immediate.first, partitions);
    region.low       = MemoryRowBits'(immediate.row);
    region.high      = MemoryRowBits'(immediate.row);
    return region;
  endfunction

  function automatic regions_t op_regions(vector_op_t op);
    regions_t regions;
    regions.dst = operand_region(~op.no_dst, op.dst, op.dst_count, op.dst_partitions);
    regions.a   = operand_region(op.reads_a, op.a, op.count, op.partitions);
    regions.b   = operand_region(op.uses_b, op.b, op.b_count, op.partitions);
    for (int unsigned k = 0; k < 2; k++) regions.imm[k] = immediate_region(op.imm[k], op.partitions);
    return regions;
  endfunction

  function automatic logic overlap(region_t x, region_t y);
    return x.used & y.used & (x.psum == y.psum) & ((x.quadrants & y.quadrants) != '0) & (x.low <= y.high) & (y.low <= x.high);
  endfunction

  // Whether anything an operation reads may be something that `written` covers.
  function automatic logic reads_region(regions_t regions, region_t written);
    return overlap(regions.a, written) | overlap(regions.b, written)
         | overlap(regions.imm[0], written) | overlap(regions.imm[1], written);
  endfunction

endpackage
