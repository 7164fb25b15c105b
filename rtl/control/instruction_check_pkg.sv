// Checks on an instruction that need no knowledge of the engine's data path: the opcode is known, data types
// and partitions are valid, the address pattern of every operand lies within SBUF or PSUM, and the
// destination overlaps no source. The checks are made in the order of this file, and operands in the order
// dst, a, b, imm0, imm1.
package instruction_check_pkg;

  import cfg_pkg::*;
  import core_pkg::*;
  import isa_pkg::*;
  import control_pkg::*;
  import operand_shape_pkg::*;

  // Partition, byte offset in it, and size of a partition in bytes.
  typedef struct packed {
    logic        mapped;
    logic [9:0]  partition;
    logic [31:0] offset;
    logic [31:0] bytes;
  } location_t;

  function automatic location_t locate(logic [31:0] address);
    location_t where;
    where = '0;
    if (address < 32'(WindowSbufWindow)) begin
      where.mapped    = 1'b1;
      where.partition = 10'(address >> SbufStrideBits);
      where.offset    = 32'(address[SbufStrideBits-1:0]);
      where.bytes     = 32'(SbufBytes);
    end else if (address < 32'(WindowEventBase)) begin
      where.mapped    = 1'b1;
      where.partition = 10'((address - 32'(WindowPsumBase)) >> PsumStrideBits);
      where.offset    = 32'(address[PsumStrideBits-1:0]);
      where.bytes     = 32'(PsumBytes);
    end
    return where;
  endfunction

  // Returns whether an operand may start at a partition. More than half of the partitions start at 0, more
  // than a quarter at 0 or the half, fewer at any quarter.
  function automatic logic start_allowed(logic [9:0] start, logic [8:0] partitions);
    if (32'(partitions) > 2 * Quadrant) return start == '0;
    if (32'(partitions) > Quadrant) return 32'(start) % (2 * Quadrant) == 0;
    return 32'(start) % Quadrant == 0;
  endfunction

  // Returns whether every element of the pattern lies within the partition.
  function automatic logic pattern_fits(logic [31:0] offset, logic [31:0] bytes, dimensions_t step, dimensions_t count,
                                       logic [1:0] size);
    logic signed [39:0] reach, low, high;
    low  = '0;
    high = '0;
    for (int unsigned d = 0; d < 4; d++) begin
      reach = 40'(signed'(step[d])) * signed'({24'd0, count[d] - 16'd1});
      if (reach < 0) low = low + reach;
      else high = high + reach;
    end
    low  = signed'({8'd0, offset}) + (low <<< size);
    high = signed'({8'd0, offset}) + (high <<< size) + (40'sd1 <<< size);
    return (low >= 0) & (high <= signed'({8'd0, bytes}));
  endfunction

  function automatic error_e check_operand(logic [31:0] address, dimensions_t step, dimensions_t count, dtype_e dtype,
                                           logic [8:0] partitions);
    /* verilator no_inline_task */
    location_t where;
    logic [1:0] size;
    where = locate(address);
    size  = dtype_size(dtype);
    if (!where.mapped) return ErrorAddressRange;
    if (32'(where.partition) + 32'(partitions) > Lanes) return ErrorPartitionRange;
    if (!start_allowed(where.partition, partitions)) return ErrorPartitionStart;
    if ((address[1:0] & ~(2'b11 << size)) != 2'b00) return ErrorAddressAlign;
    if (!pattern_fits(where.offset, where.bytes, step, count, size)) return ErrorAddressRange;
    return ErrorNone;
  endfunction

  // Checks a [partitions, 1] operand: its address stands in place of an immediate.
  function automatic error_e check_column(logic [31:0] address, immediate_dtype_e dtype, logic [8:0] partitions);
    return check_operand(address, '0, {4{16'd1}}, immediate_type(dtype), partitions);
  endfunction

  function automatic logic partitions_valid(logic [8:0] partitions);
    return (partitions != '0) & (32'(partitions) <= Lanes);
  endfunction

  // Formats share the places of their common fields; each function reads them through the widest format that
  // has them.
  /* verilator lint_off UNUSEDSIGNAL */

  // Checks a control instruction. write and dma_trigger go to 32-bit registers, register_load and
  // register_store to a word of the core window. A branch leads to an instruction of the program, whether it
  // is taken or not.
  function automatic verdict_t check_control(instruction_t bits, program_t in_program);
    dma_trigger_t trigger;
    branch_t branch;
    register_t operation;
    logic [58:0] place;
    logic [31:0] window_address;
    logic aligned;
    trigger        = dma_trigger_t'(bits);
    branch         = branch_t'(bits);
    operation      = register_t'(bits);
    place          = {1'b0, in_program.base} + 59'(branch.target);
    window_address = trigger.address[31:0];
    aligned        = trigger.address[1:0] == 2'b00;
    case (trigger.opcode)
      OpHalt, OpNop, OpEventSemaphore: return '{code: ErrorNone, address: '0};
      OpWrite: return '{code: aligned ? ErrorNone : ErrorAddressAlign, address: '0};
      OpDmaTrigger: return '{code: (aligned & (trigger.engine_stride[1:0] == 2'b00)) ? ErrorNone : ErrorAddressAlign, address: '0};
      OpBranch: begin
        if (branch.condition > BranchCondGe) return '{code: ErrorUnsupportedOperand, address: '0};
        if (place[58] | ((in_program.length != '0) & (branch.target >= in_program.length))) begin
          return '{code: ErrorBranchTarget, address: '0};
        end
        return '{code: ErrorNone, address: '0};
      end
      OpRegisterAlu: return '{code: (operation.reg_op > RegOpShr) ? ErrorUnsupportedOperand : ErrorNone, address: '0};
      OpRegisterLoad, OpRegisterStore: begin
        if (trigger.address >= 64'(WindowSize)) return '{code: ErrorAddressRange, address: window_address};
        return aligned ? '{code: ErrorNone, address: '0} : '{code: ErrorAddressAlign, address: window_address};
      end
      default: return '{code: ErrorIllegalInstruction, address: '0};
    endcase
  endfunction

  function automatic operand_overlap_pkg::place_t place_of(logic [31:0] address, dimensions_t step, dimensions_t count,
                                                           dtype_e dtype);
    location_t where;
    where = locate(address);
    return '{psum: address >= 32'(WindowSbufWindow), partition: where.partition, offset: where.offset, size: dtype_size(dtype),
             count: count, step: step};
  endfunction

  function automatic verdict_t check_operands(instruction_t bits);
    binary_t instr;
    unary_t unary;
    activation_t activation;
    matmul_t matmul;
    dimensions_t count;
    logic [8:0] result_partitions;
    logic has_dst, reads_a, has_b, has_imm0, has_imm1, activates;
    immediate_dtype_e imm0_dtype, imm1_dtype;
    operand_overlap_pkg::place_t dst, a, b;
    error_e code;

    instr      = binary_t'(bits);
    unary      = unary_t'(bits);
    activation = activation_t'(bits);
    matmul     = matmul_t'(bits);
    count      = {instr.count3, instr.count2, instr.count1, instr.count0};
    has_dst    = uses_dst(instr.opcode);
    reads_a    = uses_a(instr.opcode);
    has_b      = uses_b(instr.opcode) & !((instr.opcode == OpTensorCopyPredicated) & instr.b_immediate);
    has_imm0   = has_dst & (instr.opcode != OpMultiplyMoving) & unary.imm0_vector;
    has_imm1   = has_dst & (instr.opcode != OpMultiplyMoving) & unary.imm1_vector & reads_a & !uses_b(instr.opcode);

    // One of the two immediates has a type field of its own: the bias of an activation, or imm0 of other
    // instructions with one source.
    activates  = (instr.opcode == OpActivation) | (instr.opcode == OpActivationReduce);
    imm0_dtype = (reads_a & !uses_b(instr.opcode) & !activates) ? unary.imm0_dtype : ImmediateDtypeFp32;
    imm1_dtype = activates ? activation.bias_dtype : ImmediateDtypeFp32;

    // The result of a matrix multiplication has one partition for each column of the array.
    result_partitions = (instr.opcode == OpMultiplyMoving) ? matmul.columns
                      : dst_partitions(instr.opcode, count, instr.partitions);

    if ((has_dst & !dtype_valid(instr.dst_dtype)) | (reads_a & !dtype_valid(instr.a_dtype)) |
        (has_b & !dtype_valid(instr.b_dtype)) | (has_imm0 & !immediate_type_valid(imm0_dtype)) |
        (has_imm1 & !immediate_type_valid(imm1_dtype))) begin
      return '{code: ErrorDtype, address: '0};
    end
    if (!partitions_valid(instr.partitions) | !partitions_valid(result_partitions)) begin
      return '{code: ErrorPartitionRange, address: '0};
    end
    if ((instr.count0 == '0) | (instr.count1 == '0) | (instr.count2 == '0) | (instr.count3 == '0)) begin
      return '{code: ErrorShape, address: '0};
    end
    if (has_dst) begin
      code = check_operand(instr.dst_addr, {instr.dst_step3, instr.dst_step2, instr.dst_step1, instr.dst_step0},
                           dst_count(instr.opcode, count, unary.reduce_axes, instr.partitions), instr.dst_dtype,
                           result_partitions);
      if (code != ErrorNone) return '{code: code, address: instr.dst_addr};
    end
    if (reads_a) begin
      code = check_operand(instr.a_addr, {instr.a_step3, instr.a_step2, instr.a_step1, instr.a_step0}, count,
                           instr.a_dtype, instr.partitions);
      if (code != ErrorNone) return '{code: code, address: instr.a_addr};
    end
    if (has_b) begin
      code = check_operand(instr.b_addr, {instr.b_step3, instr.b_step2, instr.b_step1, instr.b_step0},
                           b_count(instr.opcode, count), instr.b_dtype, instr.partitions);
      if (code != ErrorNone) return '{code: code, address: instr.b_addr};
    end
    if (has_imm0) begin
      code = check_column(unary.imm0, imm0_dtype, instr.partitions);
      if (code != ErrorNone) return '{code: code, address: unary.imm0};
    end
    if (has_imm1) begin
      code = check_column(unary.imm1, imm1_dtype, instr.partitions);
      if (code != ErrorNone) return '{code: code, address: unary.imm1};
    end
    dst = place_of(instr.dst_addr, {instr.dst_step3, instr.dst_step2, instr.dst_step1, instr.dst_step0},
                   dst_count(instr.opcode, count, unary.reduce_axes, instr.partitions), instr.dst_dtype);
    a   = place_of(instr.a_addr, {instr.a_step3, instr.a_step2, instr.a_step1, instr.a_step0}, count, instr.a_dtype);
    b   = place_of(instr.b_addr, {instr.b_step3, instr.b_step2, instr.b_step1, instr.b_step0}, b_count(instr.opcode, count),
                   instr.b_dtype);
    if (has_dst & reads_a & operand_overlap_pkg::undefined(dst, a)) return '{code: ErrorOperandOverlap, address: instr.a_addr};
    if (has_dst & has_b & operand_overlap_pkg::undefined(dst, b)) return '{code: ErrorOperandOverlap, address: instr.b_addr};
    return '{code: ErrorNone, address: '0};
  endfunction

  // Makes all checks of an instruction with the registers added to its addresses: whether the fetch failed,
  // the generic checks, and the engine's own verdict on a data-path instruction.
  function automatic verdict_t check_instruction(instruction_t bits, engine_id_t engine, program_t in_program, logic fetch_error,
                                                 error_e reject);
    /* verilator no_inline_task */
    binary_t instr;
    verdict_t verdict;
    logic has_operands;
    logic [Engines-1:0] engines;
    instr        = binary_t'(bits);
    has_operands = uses_dst(instr.opcode) | uses_a(instr.opcode);
    engines      = opcode_engines(instr.opcode);
    if (fetch_error) return '{code: ErrorFetch, address: '0};
    if (!engines[engine]) return '{code: ErrorIllegalInstruction, address: '0};
    if (is_control(instr.opcode)) return check_control(bits, in_program);
    verdict = has_operands ? check_operands(bits) : '{code: ErrorNone, address: '0};
    if (verdict.code != ErrorNone) return verdict;
    return '{code: reject, address: (reject == ErrorBankCrossing) ? instr.dst_addr : '0};
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */

endpackage
