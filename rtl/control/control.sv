// Control of the core: instruction fetch, one sequencer per engine, semaphores, events, registers and the writes that
// instructions make to the system. One clock, the bus clock, which may stop while idle_o is high.
module control
  import control_pkg::*;
  import isa_pkg::*;
(
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic [63:0]                timestamp_i,

  // Core window from WindowEventBase on: one 32-bit access a cycle, answered in the cycle after it was
  // accepted.
  input  logic                       sys_valid_i,
  output logic                       sys_ready_o,
  input  logic                       sys_we_i,
  input  logic [25:0]                sys_addr_i,
  input  logic [31:0]                sys_wdata_i,
  output logic [31:0]                sys_rdata_o,
  output logic                       sys_error_o,
  // The source of the access: the sequencers themselves, or a port.
  input  logic                       sys_own_i,
  input  logic [3:0]                 sys_port_i,

  // AXI manager port: fetch bursts of 64-byte beats, and writes of one beat: 32 bits of an engine, with its
  // number as the ID, or 128 bits of the notification queue.
  output logic                       m_ar_valid_o,
  input  logic                       m_ar_ready_i,
  output engine_id_t                 m_ar_id_o,
  output logic [2:0]                 m_ar_len_o,
  output logic [63:0]                m_ar_addr_o,
  input  logic                       m_r_valid_i,
  output logic                       m_r_ready_o,
  input  engine_id_t                 m_r_id_i,
  input  logic [1:0]                 m_r_resp_i,
  input  logic                       m_r_last_i,
  input  instruction_t               m_r_data_i,
  output logic                       m_aw_valid_o,
  input  logic                       m_aw_ready_i,
  output engine_id_t                 m_aw_id_o,
  output logic [2:0]                 m_aw_size_o,
  output logic [63:0]                m_aw_addr_o,
  output logic                       m_w_valid_o,
  input  logic                       m_w_ready_i,
  output logic [127:0]               m_w_data_o,
  input  logic                       m_b_valid_i,
  output logic                       m_b_ready_o,
  input  engine_id_t                 m_b_id_i,
  input  logic [1:0]                 m_b_resp_i,

  // AXI manager port onto the core's own window: single beats of one 32-bit word, one access at a time.
  output logic [25:0]                w_addr_o,
  output logic                       w_aw_valid_o,
  input  logic                       w_aw_ready_i,
  output logic                       w_w_valid_o,
  input  logic                       w_w_ready_i,
  output logic [31:0]                w_w_data_o,
  input  logic                       w_b_valid_i,
  input  logic [1:0]                 w_b_resp_i,
  output logic                       w_ar_valid_o,
  input  logic                       w_ar_ready_i,
  input  logic                       w_r_valid_i,
  input  logic [1:0]                 w_r_resp_i,
  input  logic [31:0]                w_r_data_i,

  // Engines: the head instruction, the engine's verdict on it, hand-over when valid and ready, completion of
  // the oldest.
  output instruction_t [Engines-1:0] dispatch_instr_o,
  output logic [Engines-1:0]         dispatch_valid_o,
  input  logic [Engines-1:0]         dispatch_ready_i,
  input  error_e [Engines-1:0]       reject_i,
  input  logic [Engines-1:0]         done_i,
  input  error_e [Engines-1:0]       engine_fault_i,  // see sequencer
  input  logic [Engines-1:0][31:0]   engine_fault_address_i,
  input  logic [Engines-1:0]         engine_busy_i,

  // Verification: these hold back issue, completion and updates of semaphores.
  input  logic [Engines-1:0]         hold_issue_i,
  input  logic [Engines-1:0]         hold_done_i,
  input  logic                       hold_semaphores_i,

  // The first wrong access to the memories, by an engine's instruction or by the bus; it stays. The counts of
  // the memories (memory_pkg::count_e).
  input  logic                       memory_fault_valid_i,
  input  error_e                     memory_fault_code_i,
  input  engine_id_t                 memory_fault_master_i,
  input  logic [$clog2(Outstanding)-1:0] memory_fault_tag_i,
  input  logic [25:0]                memory_fault_address_i,
  input  logic [memory_pkg::Counts-1:0][31:0] memory_counts_i,
  // An upset of one or two bits of a memory word, taken while ready.
  output logic                       upset_o,
  output logic [25:0]                upset_address_o,
  output logic [5:0]                 upset_first_bit_o,
  output logic [5:0]                 upset_second_bit_o,
  input  logic                       upset_ready_i,

  // Engines that have written a NaN since reset, and the number of the first instruction that did, as the
  // engine gets them.
  input  logic [Engines-1:0]         nan_i,
  input  logic [Engines-1:0][$clog2(Outstanding)-1:0] nan_number_i,

  // Counters of the engines, see control_registers.
  output core_pkg::counter_e         counter_o,
  input  logic [63:0]                counter_i,
  output logic                       counters_clear_o,

  // GpSimd cores, see control_registers.
  input  logic [core_pkg::GpsimdCores-1:0][31:0]    gpsimd_pc_i,
  input  gpsimd_state_e [core_pkg::GpsimdCores-1:0] gpsimd_state_i,

  // Stochastic rounding: the default of narrowing writes, and a seed to load when its valid pulses.
  output logic                       sr_enable_o,
  output logic                       sr_seed_valid_o,
  output logic [31:0]                sr_seed_o,

  // Observation.
  output seq_state_e [Engines-1:0]   state_o,
  output logic [Engines-1:0]         issued_o,
  output logic [Engines-1:0][31:0]   issue_pc_o,
  output logic [Engines-1:0]         completed_o,
  output logic                       error_o,
  // High if nothing changes until an input does.
  output logic                       idle_o
);

  // Programs.
  logic [Engines-1:0] start, flush, redirect, available, pop, head_error;
  instruction_t [Engines-1:0] head;
  program_t [Engines-1:0] programs;
  logic [Engines-1:0][57:0] program_base;
  logic [Engines-1:0][31:0] target, pc, completed_count;
  logic [Engines-1:0] quiet, sequencer_active;

  // Semaphores; the last requester is the core window.
  logic [Engines:0] update_valid, update_ready;
  update_t update[Engines+1];
  logic [Engines:0][7:0] read_sem;
  logic [Engines:0][31:0] read_value;
  logic overflow;

  // Bus writes, window accesses and faults.
  logic [Engines-1:0] bus_valid, bus_done, window_valid, window_done, fault_valid;
  logic [Engines-1:0][31:0] store_data;
  logic [31:0] load_data;
  logic bus_error, window_error, fetch_active, bus_active, window_active, system_fault_valid;
  fault_t fault[Engines], system_fault, memory_fault;
  logic memory_fault_taken;
  origin_t numbered[Engines];
  engine_id_t window_owner;
  error_e event_error;

  // Sources of writes to the system.
  localparam int unsigned WriteSources = 2, WriteSequencers = 0, WriteQueue = 1;
  logic [WriteSources-1:0] write_valid, write_ready;
  bus_write_t write [WriteSources];
  logic b_of_queue, write_active, notify_active, notify_mapped, notify_refused, notify_overflow, fault_new;
  logic [31:0] notify_offset, notify_rdata;
  fault_t notify_fault, first_fault;
  origin_t issue_origin [Engines], completed_origin [Engines];

  logic csr_write, csr_error, all_quiet;
  logic [11:0] csr_offset;
  logic [31:0] csr_wdata, csr_rdata;

  fetch_unit u_fetch_unit (
    .clk_i,
    .rst_ni,
    .start_i      (start),
    .base_i       (program_base),
    .flush_i      (flush),
    .redirect_i   (redirect),
    .target_i     (target),
    .available_o  (available),
    .pop_i        (pop),
    .instr_o      (head),
    .instr_error_o(head_error),
    .ar_valid_o   (m_ar_valid_o),
    .ar_ready_i   (m_ar_ready_i),
    .ar_id_o      (m_ar_id_o),
    .ar_len_o     (m_ar_len_o),
    .ar_addr_o    (m_ar_addr_o),
    .r_valid_i    (m_r_valid_i),
    .r_ready_o    (m_r_ready_o),
    .r_id_i       (m_r_id_i),
    .r_resp_i     (m_r_resp_i),
    .r_last_i     (m_r_last_i),
    .r_data_i     (m_r_data_i),
    .active_o     (fetch_active)
  );

  for (genvar e = 0; e < Engines; e++) begin : gen_engine
    assign program_base[e] = programs[e].base;

    sequencer u_sequencer (
      .clk_i,
      .rst_ni,
      .engine_i         (engine_id_t'(e)),
      .program_i        (programs[e]),
      .start_i          (start[e]),
      .stop_i           (error_o),
      .hold_issue_i     (hold_issue_i[e]),
      .hold_done_i      (hold_done_i[e]),
      .available_i      (available[e]),
      .pop_o            (pop[e]),
      .head_i           (head[e]),
      .head_error_i     (head_error[e]),
      .flush_o          (flush[e]),
      .redirect_o       (redirect[e]),
      .target_o         (target[e]),
      .instr_o          (dispatch_instr_o[e]),
      .reject_i         (reject_i[e]),
      .dispatch_valid_o (dispatch_valid_o[e]),
      .dispatch_ready_i (dispatch_ready_i[e]),
      .done_i           (done_i[e]),
      .engine_fault_i   (engine_fault_i[e]),
      .engine_fault_address_i(engine_fault_address_i[e]),
      .wait_sem_o       (read_sem[e]),
      .wait_value_i     (read_value[e]),
      .update_valid_o   (update_valid[e]),
      .update_o         (update[e]),
      .update_ready_i   (update_ready[e]),
      .update_overflow_i(overflow),
      .bus_valid_o      (bus_valid[e]),
      .bus_done_i       (bus_done[e]),
      .bus_error_i      (bus_error),
      .window_valid_o   (window_valid[e]),
      .store_data_o     (store_data[e]),
      .window_done_i    (window_done[e]),
      .load_data_i      (load_data),
      .window_error_i   (window_error),
      .fault_valid_o    (fault_valid[e]),
      .fault_o          (fault[e]),
      .number_i         (memory_fault_taken ? memory_fault_tag_i : nan_number_i[e]),
      .numbered_o       (numbered[e]),
      .state_o          (state_o[e]),
      .pc_o             (pc[e]),
      .completed_count_o(completed_count[e]),
      .issued_o         (issued_o[e]),
      .completed_o      (completed_o[e]),
      .issue_origin_o   (issue_origin[e]),
      .completed_origin_o(completed_origin[e]),
      .quiet_o          (quiet[e]),
      .active_o         (sequencer_active[e])
    );
  end

  bus_writer u_bus_writer (
    .clk_i,
    .rst_ni,
    .valid_i   (bus_valid),
    .instr_i   (dispatch_instr_o),
    .done_o    (bus_done),
    .error_o   (bus_error),
    .write_valid_o(write_valid[WriteSequencers]),
    .write_o      (write[WriteSequencers]),
    .write_ready_i(write_ready[WriteSequencers]),
    .b_valid_i (m_b_valid_i & !b_of_queue),
    .b_id_i    (m_b_id_i),
    .b_resp_i  (m_b_resp_i),
    .active_o  (bus_active)
  );

  assign b_of_queue  = m_b_id_i == NotificationId;
  assign m_b_ready_o = 1'b1;

  write_port #(
    .Sources(WriteSources)
  ) u_write_port (
    .clk_i,
    .rst_ni,
    .valid_i   (write_valid),
    .write_i   (write),
    .ready_o   (write_ready),
    .aw_valid_o(m_aw_valid_o),
    .aw_ready_i(m_aw_ready_i),
    .aw_id_o   (m_aw_id_o),
    .aw_size_o (m_aw_size_o),
    .aw_addr_o (m_aw_addr_o),
    .w_valid_o (m_w_valid_o),
    .w_ready_i (m_w_ready_i),
    .w_data_o  (m_w_data_o),
    .active_o  (write_active)
  );

  window_port u_window_port (
    .clk_i,
    .rst_ni,
    .valid_i     (window_valid),
    .instr_i     (dispatch_instr_o),
    .store_data_i(store_data),
    .done_o      (window_done),
    .load_data_o (load_data),
    .error_o     (window_error),
    .addr_o      (w_addr_o),
    .aw_valid_o  (w_aw_valid_o),
    .aw_ready_i  (w_aw_ready_i),
    .w_valid_o   (w_w_valid_o),
    .w_ready_i   (w_w_ready_i),
    .w_data_o    (w_w_data_o),
    .b_valid_i   (w_b_valid_i),
    .b_resp_i    (w_b_resp_i),
    .ar_valid_o  (w_ar_valid_o),
    .ar_ready_i  (w_ar_ready_i),
    .r_valid_i   (w_r_valid_i),
    .r_resp_i    (w_r_resp_i),
    .r_data_i    (w_r_data_i),
    .owner_o     (window_owner),
    .active_o    (window_active)
  );

  semaphores u_semaphores (
    .clk_i,
    .rst_ni,
    .hold_i        (hold_semaphores_i),
    .update_valid_i(update_valid),
    .update_i      (update),
    .update_ready_o(update_ready),
    .overflow_o    (overflow),
    .read_sem_i    (read_sem),
    .read_value_o  (read_value)
  );

  system_port u_system_port (
    .clk_i,
    .rst_ni,
    .valid_i           (sys_valid_i),
    .ready_o           (sys_ready_o),
    .we_i              (sys_we_i),
    .addr_i            (sys_addr_i),
    .wdata_i           (sys_wdata_i),
    .rdata_o           (sys_rdata_o),
    .error_o           (sys_error_o),
    .event_error_o     (event_error),
    .sem_o             (read_sem[Engines]),
    .sem_value_i       (read_value[Engines]),
    .sem_update_valid_o(update_valid[Engines]),
    .sem_update_o      (update[Engines]),
    .sem_update_ready_i(update_ready[Engines]),
    .csr_write_o       (csr_write),
    .csr_offset_o      (csr_offset),
    .csr_wdata_o       (csr_wdata),
    .csr_rdata_i       (csr_rdata),
    .csr_error_i       (csr_error)
  );

  // Faults of accesses through the core window. If a sequencer made the access, the fault belongs to its
  // instruction.
  logic overflow_sys;
  assign overflow_sys       = update_valid[Engines] & update_ready[Engines] & overflow;
  assign system_fault_valid = overflow_sys | (event_error != ErrorNone);
  always_comb begin
    system_fault = '{code: overflow_sys ? ErrorSemaphoreOverflow : event_error,
                     engine: EngineSystem, pc: 32'(sys_port_i),
                     address: overflow_sys ? semaphore_address(read_sem[Engines]) : 32'(sys_addr_i), opcode: opcode_e'(8'd0)};
    if (sys_own_i) begin
      system_fault.engine = window_owner;
      system_fault.pc     = pc[window_owner];
      system_fault.opcode = OpRegisterStore;
    end
  end

  // Faults of accesses to the memories, by an engine's instruction or by the bus.
  always_comb begin
    memory_fault = '{code: memory_fault_code_i, engine: memory_fault_master_i, pc: '0, address: 32'(memory_fault_address_i),
                     opcode: opcode_e'(8'd0)};
    for (int unsigned e = 0; e < Engines; e++) begin
      if (memory_fault_master_i == engine_id_t'(e)) begin
        memory_fault.pc     = numbered[e].pc;
        memory_fault.opcode = numbered[e].opcode;
      end
    end
  end
  assign memory_fault_taken = memory_fault_valid_i & !error_o;

  // Numeric errors, the lowest engine first. In a cycle with a fault of the memories, a numeric error waits
  // for the next cycle.
  logic [Engines-1:0] nan_known, nan_new;
  origin_t nan_origin;
  engine_id_t nan_engine;
  assign nan_new = memory_fault_taken ? '0 : nan_i & ~nan_known;
  always_comb begin
    nan_engine = '0;
    nan_origin = numbered[0];
    for (int unsigned e = Engines; e > 0; e--) begin
      if (nan_new[e-1]) begin
        nan_engine = engine_id_t'(e - 1);
        nan_origin = numbered[e-1];
      end
    end
  end

  assign all_quiet = (&quiet) & (engine_busy_i == '0);

  control_registers u_control_registers (
    .clk_i,
    .rst_ni,
    .write_i         (csr_write),
    .offset_i        (csr_offset),
    .wdata_i         (csr_wdata),
    .rdata_o         (csr_rdata),
    .error_o         (csr_error),
    .start_o         (start),
    .program_o       (programs),
    .state_i         (state_o),
    .pc_i            (pc),
    .completed_i     (completed_count),
    .quiet_i         (all_quiet),
    .fault_valid_i   (fault_valid),
    .fault_i         (fault),
    .system_valid_i  (system_fault_valid),
    .system_fault_i  (system_fault),
    .memory_fault_valid_i,
    .memory_fault_i  (memory_fault),
    .nan_new_i       (nan_new),
    .nan_engine_i    (nan_engine),
    .nan_origin_i    (nan_origin),
    .nan_o           (nan_known),
    .counter_o,
    .counter_i,
    .counters_clear_o,
    .memory_counts_i,
    .gpsimd_pc_i,
    .gpsimd_state_i,
    .upset_o,
    .upset_address_o,
    .upset_first_bit_o,
    .upset_second_bit_o,
    .upset_ready_i,
    .notify_overflow_i(notify_overflow),
    .notify_fault_i  (notify_fault),
    .first_fault_o   (first_fault),
    .fault_new_o     (fault_new),
    .notify_offset_o (notify_offset),
    .notify_rdata_i  (notify_rdata),
    .notify_mapped_i (notify_mapped),
    .notify_refused_i(notify_refused),
    .fault_o         (error_o),
    .sr_enable_o,
    .sr_seed_valid_o,
    .sr_seed_o
  );

  notifications u_notifications (
    .clk_i,
    .rst_ni,
    .timestamp_i,
    .write_i         (csr_write),
    .offset_i        (notify_offset),
    .wdata_i         (csr_wdata),
    .rdata_o         (notify_rdata),
    .mapped_o        (notify_mapped),
    .refused_o       (notify_refused),
    .begin_i         (issued_o),
    .begin_origin_i  (issue_origin),
    .end_i           (completed_o),
    .end_origin_i    (completed_origin),
    .fault_i         (fault_new),
    .fault_origin_i  (first_fault),
    .nan_i           (nan_new != '0),
    .nan_engine_i    (nan_engine),
    .nan_origin_i    (nan_origin),
    .valid_o         (write_valid[WriteQueue]),
    .write_o         (write[WriteQueue]),
    .ready_i         (write_ready[WriteQueue]),
    .b_valid_i       (m_b_valid_i & b_of_queue),
    .b_resp_i        (m_b_resp_i),
    .overflow_o      (notify_overflow),
    .overflow_fault_o(notify_fault),
    .active_o        (notify_active)
  );

  assign issue_pc_o = pc;
  assign idle_o     = !(fetch_active | bus_active | window_active | (sequencer_active != '0) | sys_valid_i | sr_seed_valid_o | counters_clear_o |
                         write_active | notify_active | fault_new |
                         memory_fault_taken | (nan_i != nan_known));

  `ifndef SYNTHESIS
  logic idle_q, ar_valid_q, aw_valid_q;  // values of the previous cycle
  logic [$bits(pc)-1:0] pc_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      idle_q <= 1'b0;
    end else begin
      IdleKnown: assert (!$isunknown({idle_o, error_o}));
      IdleMeansNoFault: assert (!idle_o || fault_valid == '0);
      IdleMeansStill: assert (!idle_q || {pc, m_ar_valid_o, m_aw_valid_o} == {pc_q, ar_valid_q, aw_valid_q});
      idle_q <= idle_o;
      if (idle_o) {pc_q, ar_valid_q, aw_valid_q} <= {pc, m_ar_valid_o, m_aw_valid_o};
    end
  end
  `endif

endmodule
