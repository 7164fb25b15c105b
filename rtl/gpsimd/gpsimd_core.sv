// A GpSimd core: RV32IMF with Zicsr, Zifencei and Zve32f in machine mode, in order.
//
//   fetch -> decode (registers) -> execute -> results of loads, units and the vector unit
//
// Instructions take effect in program order in execute, which also takes traps. Later results come in any
// order, and the scoreboard keeps readers from using them too early. See docs/gpsimd.md.
//
// All outputs except active_o depend on registers alone, so that a core can be simulated as a model of its
// own.
module gpsimd_core
  import gpsimd_pkg::*;
(
  input  logic        clk_i,       // only edges with active_o high
  input  logic        rst_ni,
  input  logic [31:0] hart_id_i,

  // Clock gating. active_o: the core needs the next edge. awake_o: something continues whatever the inputs
  // are.
  output logic        active_o,
  output logic        awake_o,

  // The core runs from boot_i on when run_i rises; it stops between two instructions, or in wfi, when run_i
  // falls.
  input  logic        run_i,
  input  logic [31:0] boot_i,
  input  logic        irq_i,
  output logic        halted_o,
  output logic        waiting_o,   // the core is in wfi
  output logic        trapped_o,   // high for a cycle
  output logic [31:0] pc_o,        // pc of the instruction in execute, or of the last one there

  // Window into the TCM.
  input  logic        window_req_i,
  input  logic        window_write_i,
  input  tcm_beat_t   window_beat_i,
  input  beat_t       window_wdata_i,
  input  strobe_t     window_strobe_i,
  output logic        window_gnt_o,
  output logic        window_rvalid_o,
  output beat_t       window_rdata_o,

  // Slice of SBUF.
  output logic        read_valid_o,
  output slice_beat_t read_beat_o,
  input  logic        read_ready_i,
  input  logic        read_rvalid_i,
  input  beat_t       read_rdata_i,
  output logic        write_valid_o,
  output slice_beat_t write_beat_o,
  output beat_t       write_wdata_o,
  output strobe_t     write_strobe_o,
  input  logic        write_ready_i
);

  logic run_q, irq_q;

  // Fetch.
  logic        start, redirect, flush, fetch_valid, fetch_fault, fetch_taken, line_req, line_gnt, line_rvalid;
  logic [31:0] target, fetch_pc, fetch_insn;
  tcm_beat_t   line_beat;
  beat_t       tcm_rdata;
  assign start = run_i & ~run_q;

  gpsimd_fetch u_fetch (
    .clk_i,
    .rst_ni,
    .redirect_i(redirect | start),
    .target_i  (start ? boot_i : target),
    .flush_i   (flush | start),
    .valid_o   (fetch_valid),
    .pc_o      (fetch_pc),
    .insn_o    (fetch_insn),
    .fault_o   (fetch_fault),
    .ready_i   (fetch_taken),
    .req_o     (line_req),
    .beat_o    (line_beat),
    .gnt_i     (line_gnt & run_q),
    .rvalid_i  (line_rvalid),
    .rdata_i   (tcm_rdata)
  );

  // Decode.
  decoded_t         decoded;
  logic [2:0][31:0] operands;
  logic             hazard;
  assign decoded = gpsimd_decode_pkg::decode(fetch_insn);

  // Execute.
  logic             valid_q, fault_q;
  logic [31:0]      pc_q, insn_q;
  decoded_t         decoded_q;
  logic [2:0][31:0] operands_q;
  register_t        dest, dest_q;
  logic             leaves, retires;
  assign fetch_taken = fetch_valid & (~valid_q | leaves) & ~hazard & run_i & run_q & ~redirect;
  assign dest = {decoded.writes_f, fetch_insn[11:7]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q      <= 1'b0;
      irq_q      <= 1'b0;
      valid_q    <= 1'b0;
      fault_q    <= 1'b0;
      pc_q       <= '0;
      insn_q     <= '0;
      decoded_q  <= '0;
      operands_q <= '0;
      dest_q     <= '0;
    end else begin
      run_q <= run_i;
      irq_q <= irq_i;
      if (fetch_taken) begin
        valid_q    <= 1'b1;
        fault_q    <= fetch_fault;
        pc_q       <= fetch_pc;
        insn_q     <= fetch_insn;
        decoded_q  <= decoded;
        operands_q <= operands;
        dest_q     <= dest;
      end else if (leaves) begin
        valid_q <= 1'b0;
      end
    end
  end

  // Results.
  logic        alu_valid, later, claim, load_valid, load_scalar, unit_valid;
  logic [31:0] alu_value, load_value;
  result_t     unit_result;
  access_t     load_access;
  beat_t       load_data;
  always_comb begin
    load_value = '0;
    load_scalar = load_valid & ~load_access.to_vector;
    if (load_scalar) begin
      load_value = load_data[{load_access.from[5:2], 5'b0}+:32] >> {load_access.from[1:0], 3'b0};
      case (load_access.size)
        3'd0: load_value = {{24{load_value[7]}}, load_value[7:0]};
        3'd1: load_value = {{16{load_value[15]}}, load_value[15:0]};
        3'd4: load_value = {24'b0, load_value[7:0]};
        3'd5: load_value = {16'b0, load_value[15:0]};
        default: ;
      endcase
    end
  end

  gpsimd_registers u_registers (
    .clk_i,
    .rst_ni,
    .read_i      ({decoded.reads_f3, decoded.reads_x2 | decoded.reads_f2, decoded.reads_x1 | decoded.reads_f1}),
    .source_i    ({{1'b1, fetch_insn[31:27]}, {decoded.reads_f2, fetch_insn[24:20]}, {decoded.reads_f1, fetch_insn[19:15]}}),
    .operand_o   (operands),
    .writes_i    ((decoded.writes_x | decoded.writes_f) & (dest != '0)),
    .dest_i      (dest),
    .hazard_o    (hazard),
    .later_i     (later),
    .claim_i     (claim),
    .later_dest_i(dest_q),
    .alu_valid_i (alu_valid),
    .alu_dest_i  (dest_q),
    .alu_value_i (alu_value),
    .load_valid_i(load_scalar & (load_access.dest != '0)),
    .load_dest_i (load_access.dest),
    .load_value_i(load_value),
    .unit_valid_i(unit_valid & (unit_result.dest != '0)),
    .unit_dest_i (unit_result.dest),
    .unit_value_i(unit_result.value)
  );

  logic [31:0] csr_operand, csr_rdata, trap_vector, return_pc;
  logic        csr_legal, csr_commit, trap, trap_return, irq_pending, irq_taken, fs_on, vs_on;
  vstate_t     vstate;
  logic        vset, vl_write, vstart_write;
  vl_t         vl, vstart;
  vtype_t      vtype;
  fflags_t     vector_flags;
  logic        vector_saturated;
  trap_t       trap_info;

  gpsimd_csr u_csr (
    .clk_i,
    .rst_ni,
    .hart_id_i,
    .insn_i         (insn_q),
    .operand_i      (csr_operand),
    .rdata_o        (csr_rdata),
    .legal_o        (csr_legal),
    .commit_i       (csr_commit),
    .trap_i         (trap),
    .trap_info_i    (trap_info),
    .trap_pc_i      (pc_q),
    .return_i       (trap_return),
    .trap_vector_o  (trap_vector),
    .return_pc_o    (return_pc),
    .irq_i          (irq_q),
    .irq_pending_o  (irq_pending),
    .irq_taken_o    (irq_taken),
    .retire_i       (retires),
    .fflags_i       (unit_valid ? unit_result.flags : 5'b0),
    .vector_fflags_i(vector_flags),
    .vxsat_i        (vector_saturated),
    .vset_i         (vset),
    .vl_write_i     (vl_write),
    .vl_i           (vl),
    .vtype_i        (vtype),
    .vstart_write_i (vstart_write),
    .vstart_i       (vstart),
    .fs_on_o        (fs_on),
    .vs_on_o        (vs_on),
    .vstate_o       (vstate)
  );

  logic        units_start, units_ready, units_idle;
  logic [2:0]  unit_rm;
  logic        scalar_load_valid, scalar_store_valid, vector_load_valid, vector_store_valid, load_ready, store_ready, lsu_idle;
  access_t     scalar_load_access, vector_load_access;
  logic [31:0] scalar_address, vector_load_address, vector_store_address, vector_scalar;
  beat_t       scalar_wdata, vector_wdata;
  strobe_t     scalar_strobe, vector_strobe;
  logic        vector_valid, vector_memory, vector_streams, vector_ready, vector_idle, vector_memory_done, vector_trap, vector_vl_write;
  logic        vector_loading, vector_loading_tcm, vector_storing, vector_storing_tcm;
  logic        vector_result_valid, vector_done;
  result_t     vector_result;
  trap_t       vector_trap_info;
  vl_t         vector_vstart, vector_vl;
  gpsimd_vdecode_pkg::vrow_t vector_row;
  gpsimd_vlegal_pkg::vmem_t  vector_vmem;

  gpsimd_execute u_execute (
    .clk_i,
    .rst_ni,
    .valid_i           (valid_q),
    .fetch_fault_i     (fault_q),
    .pc_i              (pc_q),
    .insn_i            (insn_q),
    .decoded_i         (decoded_q),
    .operands_i        (operands_q),
    .dest_i            (dest_q),
    .leaves_o          (leaves),
    .retires_o         (retires),
    .redirect_o        (redirect),
    .target_o          (target),
    .flush_o           (flush),
    .alu_valid_o       (alu_valid),
    .alu_value_o       (alu_value),
    .later_o           (later),
    .claim_o           (claim),
    .csr_operand_o     (csr_operand),
    .csr_rdata_i       (csr_rdata),
    .csr_legal_i       (csr_legal),
    .csr_commit_o      (csr_commit),
    .trap_o            (trap),
    .trap_info_o       (trap_info),
    .return_o          (trap_return),
    .trap_vector_i     (trap_vector),
    .return_pc_i       (return_pc),
    .irq_pending_i     (irq_pending),
    .halt_i            (~run_q),
    .irq_taken_i       (irq_taken),
    .waiting_o,
    .fs_on_i           (fs_on),
    .vs_on_i           (vs_on),
    .vstate_i          (vstate),
    .vset_o            (vset),
    .vl_write_o        (vl_write),
    .vl_o              (vl),
    .vtype_o           (vtype),
    .vstart_write_o    (vstart_write),
    .vstart_o          (vstart),
    .unit_valid_o      (units_start),
    .unit_rm_o         (unit_rm),
    .unit_ready_i      (units_ready),
    .units_idle_i      (units_idle),
    .load_valid_o      (scalar_load_valid),
    .load_access_o     (scalar_load_access),
    .load_ready_i      (load_ready),
    .store_valid_o     (scalar_store_valid),
    .store_wdata_o     (scalar_wdata),
    .store_strobe_o    (scalar_strobe),
    .store_ready_i     (store_ready),
    .address_o         (scalar_address),
    .lsu_idle_i        (lsu_idle),
    .vector_valid_o    (vector_valid),
    .vector_memory_o   (vector_memory),
    .vector_streams_o  (vector_streams),
    .vector_row_o      (vector_row),
    .vector_vmem_o     (vector_vmem),
    .vector_scalar_o   (vector_scalar),
    .vector_ready_i    (vector_ready),
    .vector_idle_i     (vector_idle),
    .vector_loading_i  (vector_loading),
    .vector_loading_tcm_i(vector_loading_tcm),
    .vector_storing_i  (vector_storing),
    .vector_storing_tcm_i(vector_storing_tcm),
    .vector_done_i     (vector_memory_done),
    .vector_trap_i     (vector_trap),
    .vector_trap_info_i(vector_trap_info),
    .vector_vstart_i   (vector_vstart),
    .vector_vl_write_i (vector_vl_write),
    .vector_vl_i       (vector_vl)
  );

  gpsimd_units u_units (
    .clk_i,
    .rst_ni,
    .valid_i        (units_start),
    .unit_i         (decoded_q.unit),
    .fp_i           (decoded_q.fp),
    .funct3_i       (insn_q[14:12]),
    .rm_i           (unit_rm),
    .dest_i         (dest_q),
    .a_i            (operands_q[0]),
    .b_i            (operands_q[1]),
    .c_i            (operands_q[2]),
    .ready_o        (units_ready),
    .vector_valid_i (vector_result_valid),
    .vector_result_i(vector_result),
    .valid_o        (unit_valid),
    .result_o       (unit_result),
    .idle_o         (units_idle)
  );

  gpsimd_vector u_vector (
    .clk_i,
    .rst_ni,
    .valid_i       (vector_valid),
    .memory_i      (vector_memory),
    .streams_i     (vector_streams),
    .insn_i        (insn_q),
    .row_i         (vector_row),
    .vmem_i        (vector_vmem),
    .vstate_i      (vstate),
    .scalar_i      (vector_scalar),
    .stride_i      (operands_q[1]),
    .ready_o       (vector_ready),
    .idle_o        (vector_idle),
    .result_valid_o(vector_result_valid),
    .result_o      (vector_result),
    .flags_o       (vector_flags),
    .saturated_o   (vector_saturated),
    .done_o        (vector_done),
    .memory_done_o (vector_memory_done),
    .trap_o        (vector_trap),
    .trap_info_o   (vector_trap_info),
    .vstart_o      (vector_vstart),
    .vl_write_o    (vector_vl_write),
    .vl_o          (vector_vl),
    .loading_o     (vector_loading),
    .loading_tcm_o (vector_loading_tcm),
    .storing_o     (vector_storing),
    .storing_tcm_o (vector_storing_tcm),
    .load_valid_o  (vector_load_valid),
    .load_access_o (vector_load_access),
    .load_address_o(vector_load_address),
    .load_ready_i  (load_ready),
    .store_valid_o (vector_store_valid),
    .store_address_o(vector_store_address),
    .store_wdata_o (vector_wdata),
    .store_strobe_o(vector_strobe),
    .store_ready_i (store_ready),
    .loads_idle_i  (lsu_idle),
    .data_valid_i  (load_valid),
    .data_access_i (load_access),
    .data_i        (load_data)
  );

  // Memory. A scalar load is never requested together with a vector one, nor a store with a store.
  logic      tcm_req, tcm_write, tcm_rvalid, tcm_busy;
  tcm_beat_t tcm_beat;
  beat_t     tcm_wdata;
  strobe_t   tcm_strobe;
  beat_t     wdata;

  always_comb begin
    wdata = scalar_wdata;
    if (vector_store_valid) wdata = vector_wdata;
  end

  gpsimd_lsu u_lsu (
    .clk_i,
    .rst_ni,
    .load_valid_i   (scalar_load_valid | vector_load_valid),
    .load_access_i  (vector_load_valid ? vector_load_access : scalar_load_access),
    .load_address_i (vector_load_valid ? vector_load_address : scalar_address),
    .load_ready_o   (load_ready),
    .store_valid_i  (scalar_store_valid | vector_store_valid),
    .store_address_i(vector_store_valid ? vector_store_address : scalar_address),
    .store_wdata_i  (wdata),
    .store_strobe_i (vector_store_valid ? vector_strobe : scalar_strobe),
    .store_ready_o  (store_ready),
    .data_valid_o   (load_valid),
    .data_access_o  (load_access),
    .data_o         (load_data),
    .idle_o       (lsu_idle),
    .tcm_req_o    (tcm_req),
    .tcm_write_o  (tcm_write),
    .tcm_beat_o   (tcm_beat),
    .tcm_wdata_o  (tcm_wdata),
    .tcm_strobe_o (tcm_strobe),
    .tcm_rvalid_i (tcm_rvalid),
    .tcm_rdata_i  (tcm_rdata),
    .read_valid_o,
    .read_beat_o,
    .read_ready_i,
    .read_rvalid_i,
    .read_rdata_i,
    .write_valid_o,
    .write_beat_o,
    .write_wdata_o,
    .write_strobe_o,
    .write_ready_i
  );

  gpsimd_tcm u_tcm (
    .clk_i,
    .rst_ni,
    .data_req_i     (tcm_req),
    .data_write_i   (tcm_write),
    .data_beat_i    (tcm_beat),
    .data_wdata_i   (tcm_wdata),
    .data_strobe_i  (tcm_strobe),
    .data_rvalid_o  (tcm_rvalid),
    .window_req_i,
    .window_write_i,
    .window_beat_i,
    .window_wdata_i,
    .window_strobe_i,
    .window_gnt_o,
    .window_rvalid_o,
    .fetch_req_i    (line_req & run_q),
    .fetch_beat_i   (line_beat),
    .fetch_gnt_o    (line_gnt),
    .fetch_rvalid_o (line_rvalid),
    .rdata_o        (tcm_rdata),
    .busy_o         (tcm_busy)
  );

  // Units that are working continue while the core waits; fetch may stop.
  logic working;
  assign working  = ~(units_idle & vector_idle & lsu_idle) | unit_valid | tcm_busy;
  assign awake_o  = ((run_q | valid_q) & ~waiting_o) | working;
  assign active_o = awake_o | (run_i != run_q) | (irq_i != irq_q) | window_req_i;
  assign halted_o = ~run_q & ~valid_q & ~working;

  assign trapped_o      = trap;
  assign pc_o           = pc_q;
  assign window_rdata_o = tcm_rdata;

  `ifndef SYNTHESIS
  gpsimd_core_probe probe ();

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneLoad: assert (!(scalar_load_valid && vector_load_valid));
      OneStore: assert (!(scalar_store_valid && vector_store_valid));
      StatusKnown: assert (!$isunknown({halted_o, waiting_o, trapped_o}));
      DoneWasUnderWay: assert (!vector_done || !vector_idle);
    end
  end
  `endif

endmodule
