// Decoded Vector instructions and the memory regions they touch.
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole instructions and look at some fields
package vector_pkg;

  import cfg_pkg::*;
  import isa_pkg::*;
  import core_pkg::*;

  // Shortest distance between the starts of two instructions, in Vector cycles (public cost tables).
  localparam int unsigned MinInterval = 64;
  // Instructions between their first read and their last write.
  localparam int unsigned Banks = 2;

  // Byte offset within a partition of either memory.
  localparam int unsigned RowBits = SbufRowBits > PsumRowBits ? SbufRowBits : PsumRowBits;
  localparam int unsigned OffsetBits = RowBits + 2;
  typedef logic [RowBits-1:0] row_index_t;
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

  // One of the two operations; `reverse` swaps its operands.
  typedef struct packed {
    alu_op_e op;
    logic    reverse;
    logic    tensor;  // the second operand is the tensor b, else the immediate
  } alu_t;

  typedef struct packed {
    logic             raw;          // element bits pass unchanged
    logic             reuse_words;  // an element whose word was read for the one before it needs no read
    logic [8:0]       partitions;
    count_t           count;
    operand_t         dst;
    operand_t         a;
    operand_t         b;
    logic             reads_a;      // a is read; if not, its elements have no meaning
    logic             uses_b;
    alu_t       [1:0] alu;
    immediate_t [1:0] imm;
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

  // Whether an operation reads its immediate: those with one operand do when they are reversed.
  function automatic logic reads_immediate(alu_t alu);
    case (alu.op)
      AluOpAdd, AluOpSubtract, AluOpMultiply, AluOpMax, AluOpMin: return ~alu.tensor;
      default: return ~alu.tensor & alu.reverse;
    endcase
  endfunction

  // The published exception to two cycles per element for two SBUF sources: words that carry two bf16 elements.
  function automatic logic reads_pairs(binary_t instr);
    logic types;
    logic operations;
    types = (instr.a_dtype == DtypeBf16) & (instr.b_dtype == DtypeBf16)
          & (instr.a_step0 == 16'd1) & (instr.b_step0 == 16'd1);
    operations = (instr.opcode == OpTensorTensor)
        ? (instr.op0 == AluOpAdd) | (instr.op0 == AluOpSubtract) | (instr.op0 == AluOpMultiply)
        : (instr.op0 == AluOpSubtract) & (instr.op1 == AluOpMultiply);
    return types & operations;
  endfunction

  // memset is a bypass that passes the immediate.
  function automatic alu_t [1:0] decode_operations(binary_t instr);
    alu_t [1:0] alu;
    alu[0] = '{op: instr.op0, reverse: instr.reverse0, tensor: instr.opcode == OpTensorTensor};
    alu[1] = '{op: instr.op1, reverse: instr.reverse1, tensor: instr.opcode == OpScalarTensorTensor};
    case (instr.opcode)
      OpTensorCopy: alu = '0;
      OpMemset: alu = {alu_t'('0), alu_t'{op: AluOpBypass, reverse: 1'b1, tensor: 1'b0}};
      default:;
    endcase
    return alu;
  endfunction

  // Both formats agree in everything but b and imm1.
  function automatic vector_op_t decode(logic [InstructionBits-1:0] instr);
    binary_t    binary;
    unary_t     unary;
    vector_op_t op;
    binary = instr;
    unary  = instr;

    op.partitions = binary.partitions;
    op.count      = {binary.count3, binary.count2, binary.count1, binary.count0};
    op.dst = decode_operand(
        binary.dst_addr, {binary.dst_step3, binary.dst_step2, binary.dst_step1, binary.dst_step0}, binary.dst_dtype);
    op.a = decode_operand(
        binary.a_addr, {binary.a_step3, binary.a_step2, binary.a_step1, binary.a_step0}, binary.a_dtype);
    op.b = decode_operand(
        binary.b_addr, {binary.b_step3, binary.b_step2, binary.b_step1, binary.b_step0}, binary.b_dtype);

    op.reads_a = binary.opcode != OpMemset;
    op.uses_b = uses_b(binary.opcode);
    op.raw    = (binary.opcode == OpTensorCopy) & (binary.a_dtype == binary.dst_dtype);
    op.reuse_words = ~op.uses_b | op.a.psum | op.b.psum | reads_pairs(binary);

    op.alu    = decode_operations(binary);
    op.imm[0] = decode_immediate(reads_immediate(op.alu[0]), unary.imm0_vector, unary.imm0);
    op.imm[1] = decode_immediate(reads_immediate(op.alu[1]), unary.imm1_vector, unary.imm1);
    return op;
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
    region.low       = RowBits'(immediate.row);
    region.high      = RowBits'(immediate.row);
    return region;
  endfunction

  function automatic regions_t op_regions(vector_op_t op);
    regions_t regions;
    regions.dst = operand_region(1'b1, op.dst, op.count, op.partitions);
    regions.a   = operand_region(op.reads_a, op.a, op.count, op.partitions);
    regions.b   = operand_region(op.uses_b, op.b, op.count, op.partitions);
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
