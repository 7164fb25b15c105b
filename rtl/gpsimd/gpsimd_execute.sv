// Execute: the next instruction in program order takes effect here, or traps.
//
// ALU operations, branches and CSR accesses are done at once. Loads, stores and the operations of other units
// are handed over; a vector load or store that may trap stays until its last access.
module gpsimd_execute
  import gpsimd_pkg::*;
  import gpsimd_alu_pkg::*;
  import gpsimd_vdecode_pkg::vrow_t;
  import gpsimd_vlegal_pkg::vmem_t;
(
  input  logic             clk_i,
  input  logic             rst_ni,

  // The instruction.
  input  logic             valid_i,
  input  logic             fetch_fault_i,
  input  logic [31:0]      pc_i,
  input  logic [31:0]      insn_i,
  input  decoded_t         decoded_i,
  input  logic [2:0][31:0] operands_i,
  input  register_t        dest_i,
  output logic             leaves_o,    // done or trapped
  output logic             retires_o,   // done

  // Fetch continues at another address.
  output logic             redirect_o,
  output logic [31:0]      target_o,
  output logic             flush_o,

  // The result of this cycle, or a result to come, which is claimed when the instruction leaves.
  output logic             alu_valid_o,
  output logic [31:0]      alu_value_o,
  output logic             later_o,
  output logic             claim_o,

  // CSRs and traps.
  output logic [31:0]      csr_operand_o,
  input  logic [31:0]      csr_rdata_i,
  input  logic             csr_legal_i,
  output logic             csr_commit_o,
  output logic             trap_o,
  output trap_t            trap_info_o,
  output logic             return_o,
  input  logic [31:0]      trap_vector_i,
  input  logic [31:0]      return_pc_i,
  input  logic             irq_pending_i,
  input  logic             irq_taken_i,
  input  logic             halt_i,      // ends wfi
  output logic             waiting_o,
  input  logic             fs_on_i,
  input  logic             vs_on_i,
  input  vstate_t          vstate_i,
  output logic             vset_o,
  output logic             vl_write_o,
  output vl_t              vl_o,
  output vtype_t           vtype_o,
  output logic             vstart_write_o,
  output vl_t              vstart_o,

  // Units.
  output logic             unit_valid_o,
  output logic [2:0]       unit_rm_o,
  input  logic             unit_ready_i,
  input  logic             units_idle_i,

  // Load/store unit.
  output logic             load_valid_o,
  output access_t          load_access_o,
  input  logic             load_ready_i,
  output logic             store_valid_o,
  output beat_t            store_wdata_o,
  output strobe_t          store_strobe_o,
  input  logic             store_ready_i,
  output logic [31:0]      address_o,
  input  logic             lsu_idle_i,

  // Vector unit.
  output logic             vector_valid_o,
  output logic             vector_memory_o,
  output logic             vector_streams_o,
  output vrow_t            vector_row_o,
  output vmem_t            vector_vmem_o,
  output logic [31:0]      vector_scalar_o,
  input  logic             vector_ready_i,
  input  logic             vector_idle_i,
  input  logic             vector_loading_i, vector_loading_tcm_i,  // loads are still to be made, of the TCM
  input  logic             vector_storing_i, vector_storing_tcm_i,
  input  logic             vector_done_i,   // a load or store that is no stream is done
  input  logic             vector_trap_i,
  input  trap_t            vector_trap_info_i,
  input  vl_t              vector_vstart_i,
  input  logic             vector_vl_write_i,
  input  vl_t              vector_vl_i
);

  localparam logic [31:0] Ecall = 32'h0000_0073;
  localparam logic [31:0] Ebreak = 32'h0010_0073;
  localparam logic [31:0] Mret = 32'h3020_0073;
  localparam logic [31:0] Wfi = 32'h1050_0073;

  logic started_q;  // the vector unit has begun this load or store

  unit_e       unit;
  logic [31:0] a, b, immediate, address;
  logic [2:0]  funct3;
  assign unit = decoded_i.unit;
  assign a = operands_i[0];
  assign b = operands_i[1];
  assign funct3 = insn_i[14:12];
  assign immediate = gpsimd_decode_pkg::immediate(decoded_i.imm, insn_i);
  assign address = a + immediate;

  // Configuration.
  vtype_t      vtype;
  vl_t         vl;
  logic [31:0] vtype_bits, length;
  always_comb begin
    logic fits;
    vtype_bits = insn_i[31] ? (insn_i[30] ? {22'b0, insn_i[29:20]} : b) : {21'b0, insn_i[30:20]};
    length = (insn_i[31] & insn_i[30]) ? {27'b0, insn_i[19:15]} : a;
    vtype = '{vill: 1'b0, vma: vtype_bits[7], vta: vtype_bits[6], sew: vtype_bits[5:3], lmul: vtype_bits[2:0]};
    // An element has at most 32 bits; with a fraction of a register the limit shrinks by the same factor.
    case (vtype.lmul)
      3'd6: fits = vtype.sew == 3'd0;
      3'd7: fits = vtype.sew <= 3'd1;
      3'd4, 3'd5: fits = 1'b0;
      default: fits = vtype.sew <= 3'd2;
    endcase
    if (!fits || vtype_bits[31:8] != '0) vtype = '{vill: 1'b1, default: '0};
    vl = (length > 32'(vlmax(vtype))) ? vlmax(vtype) : vl_t'(length);
    if (!(insn_i[31] && insn_i[30]) && insn_i[19:15] == '0) begin
      vl = vlmax(vtype);
      if (insn_i[11:7] == '0) begin
        // vl stays the same, so the length of a group must stay the same too.
        vl = vstate_i.vl;
        if (vstate_i.vtype.vill || vlmax(vtype) != vlmax(vstate_i.vtype)) vtype = '{vill: 1'b1, default: '0};
      end
    end
    if (vtype.vill) vl = '0;
  end

  // Vector instructions.
  vrow_t row;
  vmem_t vmem;
  logic  vector_legal;
  always_comb begin
    row = '0;
    vmem = '0;
    vector_legal = 1'b0;
    if (valid_i && unit == UnitVector) begin
      row = gpsimd_vdecode_pkg::vdecode(insn_i);
      vector_legal = gpsimd_vlegal_pkg::arithmetic_legal(insn_i, row, vstate_i);
    end
    if (valid_i && unit == UnitVmem) begin
      vmem = gpsimd_vlegal_pkg::vmem_decode(insn_i, vstate_i);
      vector_legal = vmem.legal;
    end
  end

  logic streams;
  assign streams = (unit == UnitVmem) & gpsimd_vlegal_pkg::streams(insn_i, vmem, vstate_i, a);

  // Scalar loads and stores. They wait for accesses of the vector unit to the same memory, except that a load
  // overtakes no load and a store no store.
  logic misaligned, fault, overtakes;
  assign overtakes = (unit == UnitLoad) ? vector_loading_i | (vector_storing_i & (vector_storing_tcm_i == in_tcm(address)))
                                        : vector_storing_i | (vector_loading_i & (vector_loading_tcm_i == in_tcm(address)));
  assign misaligned = (funct3[1] & (address[1:0] != '0)) | (funct3[0] & address[0]);
  assign fault = ~(in_tcm(address) | in_slice(address));

  // Checks the legality that the decoder does not check.
  logic legal;
  always_comb begin
    legal = unit != UnitIllegal;
    if (decoded_i.needs_fs && !fs_on_i) legal = 1'b0;
    if (decoded_i.rounds && funct3 == 3'd7 && vstate_i.frm >= 3'd5) legal = 1'b0;
    if (unit == UnitCsr && !csr_legal_i) legal = 1'b0;
    if ((unit == UnitVset || unit == UnitVector || unit == UnitVmem) && !vs_on_i) legal = 1'b0;
    if ((unit == UnitVector || unit == UnitVmem) && !vector_legal) legal = 1'b0;
  end

  // CSR accesses wait for pending flags; fences wait for memory as well. A core in wfi waits for the vector
  // unit before it says so.
  logic quiet;
  assign quiet = units_idle_i & vector_idle_i;

  // Traps.
  logic  taken, jump_misaligned;
  trap_t info;
  logic [31:0] target;
  assign taken = (unit == UnitJump) | ((unit == UnitBranch) & branch_taken(funct3, a, b));
  assign target = ((insn_i[3:2] == 2'b01) ? a + immediate : pc_i + immediate) & ~32'(insn_i[3:2] == 2'b01);  // jalr
  assign jump_misaligned = taken & target[1];

  // An interrupt during wfi keeps the instruction after it from being executed.
  logic exception, is_wfi;
  assign is_wfi = (unit == UnitSystem) & (insn_i == Wfi);
  always_comb begin
    exception = 1'b1;
    info = '0;
    if (irq_taken_i && !started_q && !is_wfi) info = '{is_interrupt: 1'b1, cause: CauseEcall, value: '0};  // 11: external
    else if (fetch_fault_i) info = '{is_interrupt: 1'b0, cause: CauseInsnFault, value: pc_i};
    else if (!legal) info = '{is_interrupt: 1'b0, cause: CauseIllegal, value: insn_i};
    else if (jump_misaligned) info = '{is_interrupt: 1'b0, cause: CauseInsnMisaligned, value: target};
    else if (unit == UnitLoad && misaligned) info = '{is_interrupt: 1'b0, cause: CauseLoadMisaligned, value: address};
    else if (unit == UnitLoad && fault) info = '{is_interrupt: 1'b0, cause: CauseLoadFault, value: address};
    else if (unit == UnitStore && misaligned) info = '{is_interrupt: 1'b0, cause: CauseStoreMisaligned, value: address};
    else if (unit == UnitStore && fault) info = '{is_interrupt: 1'b0, cause: CauseStoreFault, value: address};
    else if (unit == UnitSystem && insn_i == Ecall) info = '{is_interrupt: 1'b0, cause: CauseEcall, value: '0};
    else if (unit == UnitSystem && insn_i == Ebreak) info = '{is_interrupt: 1'b0, cause: CauseBreakpoint, value: pc_i};
    else if (started_q && vector_done_i && vector_trap_i) info = vector_trap_info_i;
    else exception = 1'b0;
  end

  // The instruction is done in this cycle unless it traps.
  logic done, go;
  assign go = valid_i & ~exception;
  always_comb begin
    case (unit)
      UnitLoad: done = load_ready_i & ~overtakes;
      UnitStore: done = store_ready_i & ~overtakes;
      UnitMul, UnitDiv, UnitFpu: done = unit_ready_i;
      UnitCsr: done = quiet;
      UnitFence: done = lsu_idle_i & quiet;
      UnitSystem: done = ~is_wfi | irq_pending_i | halt_i;
      UnitVector: done = vector_ready_i;
      UnitVmem: done = streams ? vector_ready_i : started_q & vector_done_i;
      default: done = 1'b1;
    endcase
  end

  assign retires_o = go & done;
  assign trap_o    = valid_i & exception;
  assign leaves_o  = retires_o | trap_o;
  assign waiting_o = go & is_wfi & ~done & vector_idle_i;
  assign trap_info_o = info;

  // Results.
  logic has_result, comes_later;
  assign has_result = (decoded_i.writes_x | decoded_i.writes_f) & (dest_i != '0);
  assign comes_later = (unit == UnitLoad) | (unit == UnitMul) | (unit == UnitDiv) | (unit == UnitFpu) | (unit == UnitVector);
  assign later_o     = valid_i & has_result & comes_later;
  assign claim_o     = retires_o & has_result & comes_later;
  assign alu_valid_o = retires_o & has_result & ~comes_later;
  always_comb begin
    case (unit)
      UnitJump: alu_value_o = pc_i + 32'd4;
      UnitCsr: alu_value_o = csr_rdata_i;
      UnitVset: alu_value_o = 32'(vl);
      default: alu_value_o = alu(decoded_i.alu, decoded_i.use_pc ? pc_i : a, decoded_i.use_imm ? immediate : b);
    endcase
  end

  // The address at which fetch continues.
  assign flush_o    = retires_o & (unit == UnitFence) & funct3[0];
  assign redirect_o = trap_o | (retires_o & (taken | (unit == UnitFence) | return_o));
  assign return_o   = retires_o & (unit == UnitSystem) & (insn_i == Mret);
  assign target_o   = trap_o ? trap_vector_i : return_o ? return_pc_i : (unit == UnitFence) ? pc_i + 32'd4 : target;

  assign csr_operand_o = funct3[2] ? immediate : a;
  assign csr_commit_o  = retires_o & (unit == UnitCsr);

  assign vset_o         = retires_o & (unit == UnitVset);
  assign vl_write_o     = retires_o & (unit == UnitVmem) & vector_vl_write_i;
  assign vl_o           = (unit == UnitVmem) ? vector_vl_i : vl;
  assign vtype_o        = vtype;
  assign vstart_write_o = (retires_o & ((unit == UnitVset) | (unit == UnitVector) | (unit == UnitVmem)))
                        | (trap_o & started_q);
  assign vstart_o       = trap_o ? vector_vstart_i : '0;

  assign unit_valid_o = go & ((unit == UnitMul) | (unit == UnitDiv) | (unit == UnitFpu));
  assign unit_rm_o    = (funct3 == 3'd7) ? vstate_i.frm : funct3;

  assign load_valid_o  = go & (unit == UnitLoad) & ~overtakes;
  assign load_access_o = '{to_vector: 1'b0, dest: dest_i, from: address[5:0], size: funct3, to: '0, enable: '0, closes: 1'b0, ends: 1'b0};
  assign store_valid_o = go & (unit == UnitStore) & ~overtakes;
  assign address_o     = address;
  always_comb begin
    store_wdata_o = '0;
    store_strobe_o = '0;
    if (unit == UnitStore) begin
      store_wdata_o = beat_t'(b) << {address[5:0], 3'b0};
      store_strobe_o = strobe_t'({{2{funct3[1]}}, funct3[1] | funct3[0], 1'b1}) << address[5:0];
    end
  end

  assign vector_valid_o  = go & (((unit == UnitVmem) & ~started_q) | (unit == UnitVector));
  assign vector_memory_o = unit == UnitVmem;
  assign vector_streams_o = streams;
  assign vector_row_o    = row;
  assign vector_vmem_o   = vmem;
  assign vector_scalar_o = (unit == UnitVector) & (funct3 == 3'd3)
                         ? {{27{insn_i[19] & ~row.unsigned_imm}}, insn_i[19:15]} : a;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) started_q <= 1'b0;
    else if (leaves_o) started_q <= 1'b0;
    else if (vector_valid_o && vector_memory_o && !streams && vector_ready_i) started_q <= 1'b1;
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      StartedIsMemory: assert (!started_q || (valid_i && unit == UnitVmem));
      TrapHasNoEffect: assert (!trap_o || !(csr_commit_o || alu_valid_o || load_valid_o || store_valid_o || unit_valid_o || vector_valid_o));
      ReadsKnown: assert (!$isunknown({leaves_o, trap_o, redirect_o}));
    end
  end
  `endif

endmodule
