// Types and functions of the engines that work element by element: the operands of an instruction and the
// memory regions they touch.
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole records and look at some fields
package elementwise_pkg;

  import cfg_pkg::*;
  import isa_pkg::*;
  import core_pkg::*;

  // Shortest distance between the starts of two instructions, in cycles of the engine (public cost tables).
  localparam int unsigned MinInterval = 64;
  // Number of instructions between their first read and their last write.
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

  // The second operand of an operation when it is not a tensor: an fp32 constant, or a [partitions,1] operand in SBUF.
  typedef struct packed {
    logic        used;
    logic        is_vector;
    logic [31:0] value;
    logic [1:0]  first;
    sbuf_row_t   row;
    logic [1:0]  offset;  // byte within the word
    dtype_e      dtype;
  } immediate_t;

  // Operands of an instruction, for sources, immediates and results; they do not depend on the operation on
  // the elements.
  typedef struct packed {
    logic         reuse_words;     // an element needs no read if its word was read for the previous element
    logic [8:0]   partitions;
    logic [8:0]   dst_partitions;
    count_t       count;           // elements of a, and of b unless it has its own count
    count_t       b_count;
    count_t       dst_count;       // results
    operand_t     dst;
    operand_t     a;
    operand_t     b;
    logic         reads_a;         // a is read; if not, its elements have no meaning
    logic         uses_b;
    logic         raw_a;           // element bits of a pass unchanged; raw_b: of b
    logic         raw_b;
    logic         no_dst;          // nothing is written
    immediate_t [1:0] imm;
  } operands_t;

  // A write of one row to one of the memories; it happens in this cycle.
  typedef struct packed {
    logic       we;
    logic       psum;
    row_index_t row;
    logic [3:0] be;
  } row_write_t;

  // The rows from low to high of the partitions in `quadrants`, which an operand may touch.
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

  // Returns whether a port serves the elements of an operand only every other cycle.
  function automatic logic steps_far(operand_t operand, count_t count);
    return operand_shape_pkg::half_rate(count, operand.step, dtype_size(operand.dtype));
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

  function automatic immediate_t decode_immediate(logic used, logic is_vector, logic [31:0] field, dtype_e dtype);
    immediate_t immediate;
    immediate.used      = used;
    immediate.is_vector = used & is_vector;
    immediate.value     = field;
    immediate.first     = first_quadrant(field);
    immediate.row       = SbufRowBits'(partition_offset(field) >> 2);
    immediate.offset    = field[1:0];
    immediate.dtype     = dtype;
    return immediate;
  endfunction

  // Decodes the common part of all instructions: the shape and the tensor operands. Their fields have the
  // same places in all formats.
  function automatic operands_t decode_operands(logic [InstructionBits-1:0] instr);
    binary_t   fields;
    operands_t operands;
    count_t    count;
    fields = instr;
    count  = {fields.count3, fields.count2, fields.count1, fields.count0};
    operands = '0;
    operands.partitions     = fields.partitions;
    operands.dst_partitions = fields.partitions;
    operands.count          = count;
    operands.b_count        = count;
    operands.dst_count      = count;
    operands.dst = decode_operand(
        fields.dst_addr, {fields.dst_step3, fields.dst_step2, fields.dst_step1, fields.dst_step0}, fields.dst_dtype);
    operands.a = decode_operand(
        fields.a_addr, {fields.a_step3, fields.a_step2, fields.a_step1, fields.a_step0}, fields.a_dtype);
    operands.b = decode_operand(
        fields.b_addr, {fields.b_step3, fields.b_step2, fields.b_step1, fields.b_step0}, fields.b_dtype);
    return operands;
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

  function automatic regions_t operand_regions(operands_t op);
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

  // Returns whether an operation may read anything that `written` covers.
  function automatic logic reads_region(regions_t regions, region_t written);
    return overlap(regions.a, written) | overlap(regions.b, written)
         | overlap(regions.imm[0], written) | overlap(regions.imm[1], written);
  endfunction

  // Returns whether a result is rounded stochastically. `core_stochastic` applies to instructions that follow
  // the core's rounding control.
  function automatic logic rounds_stochastically(rounding_e rounding, logic core_stochastic);
    return (rounding == RoundingStochastic) | ((rounding == RoundingCore) & core_stochastic);
  endfunction

  // Makes the check that the sequencer leaves to an engine: immediates are read from SBUF only.
  function automatic logic immediate_readable(logic is_vector, logic [31:0] field);
    return ~is_vector | ~in_psum(field);
  endfunction

endpackage
