// Sequencer of one engine, in order throughout. An instruction is taken from the prefetch buffer, checked in the next cycle,
// waits for its semaphore and is handed to the engine; its semaphore update follows when the engine is done with it. Control
// instructions are executed here: branch and register_alu as soon as they have their semaphore, all others when everything
// before them has completed.
module sequencer
  import control_pkg::*;
  import instruction_check_pkg::check_instruction;
  import isa_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  // The number of this engine (constant).
  input  engine_id_t   engine_i,
  // The program. start_i starts it; stop_i holds every instruction that has not been offered to the engine or
  // begun here.
  input  program_t     program_i,
  input  logic         start_i,
  input  logic         stop_i,
  // Verification: these hold the head, and the completion of the oldest instruction.
  input  logic         hold_issue_i,
  input  logic         hold_done_i,
  // Prefetch buffer: pop_o makes the next instruction the head; flush_o ends fetching, redirect_o moves it to target_o.
  input  logic         available_i,
  output logic         pop_o,
  input  instruction_t head_i,
  input  logic         head_error_i,
  output logic         flush_o,
  output logic         redirect_o,
  output logic [31:0]  target_o,
  // Engine: the head with its registers applied, the verdict on it, hand-over, completion of the oldest
  // instruction.
  output instruction_t instr_o,
  input  error_e       reject_i,
  output logic         dispatch_valid_o,
  input  logic         dispatch_ready_i,
  input  logic         done_i,
  // Not ErrorNone after an instruction has failed in the engine. It is the oldest that is not done, and it
  // will never be.
  input  error_e       engine_fault_i,
  input  logic [31:0]  engine_fault_address_i,  // core-window address, 0 where none applies
  // Semaphores: the value of the one that the head waits for, and the update of the oldest instruction.
  output logic [7:0]   wait_sem_o,
  input  logic [31:0]  wait_value_i,
  output logic         update_valid_o,
  output update_t      update_o,
  input  logic         update_ready_i,
  input  logic         update_overflow_i,
  // Bus writer: the head is a write or dma_trigger to execute, until done.
  output logic         bus_valid_o,
  input  logic         bus_done_i,
  input  logic         bus_error_i,
  // Window port: the head is a register_load or register_store to execute, until done.
  output logic         window_valid_o,
  output logic [31:0]  store_data_o,
  input  logic         window_done_i,
  input  logic [31:0]  load_data_i,
  input  logic         window_error_i,
  // A fault of this engine, valid for one cycle.
  output logic         fault_valid_o,
  output fault_t       fault_o,
  // The origin of an instruction that was handed over, by its number as the engine gets them.
  input  logic [$clog2(Outstanding)-1:0] number_i,
  output origin_t      numbered_o,
  // Observation. pc_o is the index of the head.
  output seq_state_e   state_o,
  output logic [31:0]  pc_o,
  output logic [31:0]  completed_count_o,
  output logic         issued_o,
  output logic         completed_o,
  output origin_t      issue_origin_o,     // belongs to issued_o
  output origin_t      completed_origin_o, // belongs to completed_o
  // High if nothing is in flight, and nothing will be until a start.
  output logic         quiet_o,
  // High if something changes in the next cycle.
  output logic         active_o
);

  typedef enum logic [3:0] {
    StIdle,
    StFetch,    // no head
    StCheck,    // new head; its checks are under way
    StWait,     // checks are known; waits for the semaphore, earlier instructions or room in the queue
    StOffer,    // the head is offered to the engine
    StExecute,  // the head is a bus write or a window access under way
    StUnderWay, // the head is an event_semaphore on its way to the semaphores
    StUpdate,   // the head is a control instruction with an update to come
    StHalted
  } state_e;

  state_e state_d, state_q;
  logic failed_q;  // had a fault; stop_i follows
  verdict_t verdict_q;
  logic [31:0] pc_q, completed_count_q;

  // The fields that every format has, of the head.
  /* verilator lint_off UNUSEDSIGNAL */
  control_t header;
  /* verilator lint_on UNUSEDSIGNAL */
  logic control_head, scalar_head, bus_head, window_head, wait_satisfied;
  assign header       = control_t'(head_i);
  assign control_head = is_control(header.opcode);
  assign scalar_head  = is_scalar(header.opcode);
  assign bus_head     = uses_bus(header.opcode);
  assign window_head  = uses_window(header.opcode);
  assign wait_sem_o   = header.wait_sem;

  always_comb begin
    case (header.wait_mode)
      WaitModeGe: wait_satisfied = wait_value_i >= {8'd0, header.wait_value};
      WaitModeEq: wait_satisfied = wait_value_i == {8'd0, header.wait_value};
      WaitModeLe: wait_satisfied = wait_value_i <= {8'd0, header.wait_value};
      default: wait_satisfied = 1'b1;
    endcase
  end

  // Scalar registers.
  /* verilator lint_off UNUSEDSIGNAL */
  branch_t branch;
  register_memory_t window_access;
  /* verilator lint_on UNUSEDSIGNAL */
  logic alu, load, taken;
  assign branch        = branch_t'(head_i);
  assign window_access = register_memory_t'(instr_o);
  assign target_o      = branch.target;

  scalar_registers u_scalar_registers (
    .clk_i,
    .rst_ni,
    .start_i,
    .head_i,
    .instr_o,
    .store_data_o,
    .taken_o     (taken),
    .alu_i       (alu),
    .load_i      (load),
    .load_data_i
  );

  // Completions.
  logic queue_push, queue_valid, completes, queue_full, queue_empty, retire, overflow;
  completion_t head_entry, arrived_entry, queue_in, queue_out;
  origin_t issued_origin, queue_origin;

  assign issued_origin = '{pc: pc_q, opcode: header.opcode};
  assign head_entry    = '{mode: header.update_mode, sem: header.update_sem, value: header.update_value};
  assign queue_in      = (state_q == StUnderWay) ? arrived_entry : head_entry;

  logic leaves, arrives, under_way;
  semaphore_pipeline #(
    .Stages(cfg_pkg::SemaphoreLatency - 1)
  ) u_semaphore_pipeline (
    .clk_i,
    .rst_ni,
    .valid_i (leaves),
    .entry_i (head_entry),
    .valid_o (arrives),
    .entry_o (arrived_entry),
    .active_o(under_way)
  );

  completion_queue u_completion_queue (
    .clk_i,
    .rst_ni,
    .push_i    (queue_push),
    .executed_i(control_head),
    .entry_i   (queue_in),
    .origin_i  (issued_origin),
    .done_i,
    .valid_o   (queue_valid),
    .entry_o   (queue_out),
    .origin_o  (queue_origin),
    .pop_i     (retire),
    .number_i,
    .numbered_o,
    .full_o    (queue_full),
    .empty_o   (queue_empty)
  );

  assign completes      = queue_valid & !hold_done_i;
  assign update_valid_o = completes & (queue_out.mode != UpdateModeNone);
  assign update_o       = '{mode: queue_out.mode, sem: queue_out.sem, value: {16'd0, queue_out.value}};
  assign retire         = completes & ((queue_out.mode == UpdateModeNone) | update_ready_i);
  assign overflow       = update_valid_o & update_ready_i & update_overflow_i;
  assign completed_o    = retire & !overflow;
  assign issue_origin_o     = issued_origin;
  assign completed_origin_o = queue_origin;

  // The next state.
  logic advance, check_fault, engine_fault, access_done, access_error, access_fault;
  assign access_done  = bus_done_i | window_done_i;
  assign access_error = bus_head ? bus_error_i : window_error_i;

  always_comb begin
    state_d          = state_q;
    pop_o            = 1'b0;
    flush_o          = 1'b0;
    redirect_o       = 1'b0;
    alu              = 1'b0;
    load             = 1'b0;
    dispatch_valid_o = 1'b0;
    queue_push       = 1'b0;
    advance          = 1'b0;
    check_fault      = 1'b0;
    access_fault     = 1'b0;
    leaves           = 1'b0;

    case (state_q)
      StFetch: begin
        pop_o = available_i & !stop_i;
        if (pop_o) state_d = StCheck;
      end
      StCheck: if (!stop_i) state_d = StWait;
      StWait: begin
        if (stop_i | overflow | hold_issue_i) begin
          state_d = StWait;
        end else if (verdict_q.code != ErrorNone) begin
          check_fault = 1'b1;
        end else if (scalar_head & !queue_full & wait_satisfied) begin
          queue_push = 1'b1;
          alu        = header.opcode == OpRegisterAlu;
          redirect_o = !alu & taken;
          advance    = !redirect_o;
          pop_o      = available_i & !redirect_o;
          state_d    = pop_o ? StCheck : StFetch;
        end else if (control_head & queue_empty & wait_satisfied) begin
          leaves     = header.opcode == OpEventSemaphore;
          state_d    = (bus_head | window_head) ? StExecute : leaves ? StUnderWay : StUpdate;
          queue_push = state_d == StUpdate;
        end else if (!control_head & !queue_full & wait_satisfied) begin
          state_d = StOffer;
        end
      end
      StOffer: begin
        // An offer is not withdrawn, as the engine may be about to answer.
        dispatch_valid_o = 1'b1;
        if (dispatch_ready_i) begin
          queue_push = 1'b1;
          advance    = 1'b1;
          pop_o      = available_i & !stop_i;
          state_d    = pop_o ? StCheck : StFetch;
        end
      end
      StExecute: begin
        if (access_done) begin
          state_d      = access_error ? StFetch : StUpdate;
          access_fault = access_error;
          queue_push   = !access_error;
          load         = !access_error & (header.opcode == OpRegisterLoad);
        end
      end
      StUnderWay: begin
        queue_push = arrives;
        if (arrives) state_d = StUpdate;
      end
      StUpdate: begin
        flush_o = retire & (header.opcode == OpHalt);
        advance = completed_o & !flush_o;
        if (retire) state_d = flush_o ? StHalted : StFetch;
      end
      default: if (start_i) state_d = StFetch;
    endcase
  end

  assign bus_valid_o    = (state_q == StExecute) & bus_head;
  assign window_valid_o = (state_q == StExecute) & window_head;
  // The head was handed over, or begun here.
  assign issued_o       = (dispatch_valid_o & dispatch_ready_i) | (control_head & state_q == StWait & state_d != StWait);

  // If two faults meet, the older instruction goes first.
  assign engine_fault  = (engine_fault_i != ErrorNone) & !queue_empty & !queue_valid & !failed_q;
  assign fault_valid_o = overflow | engine_fault | check_fault | access_fault;
  always_comb begin
    fault_o = '0;
    if (overflow) begin
      fault_o = '{code: ErrorSemaphoreOverflow, engine: engine_i, pc: queue_origin.pc,
                  address: semaphore_address(queue_out.sem), opcode: queue_origin.opcode};
    end else if (engine_fault) begin
      fault_o = '{code: engine_fault_i, engine: engine_i, pc: queue_origin.pc, address: engine_fault_address_i, opcode: queue_origin.opcode};
    end else if (access_fault) begin
      fault_o = '{code: ErrorBus, engine: engine_i, pc: pc_q, address: window_head ? window_access.address[31:0] : '0,
                  opcode: header.opcode};
    end else if (check_fault) begin
      fault_o = '{code: verdict_q.code, engine: engine_i, pc: pc_q, address: verdict_q.address, opcode: header.opcode};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q           <= StIdle;
      failed_q          <= 1'b0;
      pc_q              <= '0;
      completed_count_q <= '0;
    end else begin
      state_q  <= state_d;
      failed_q <= failed_q | fault_valid_o;
      if (start_i) pc_q <= '0;
      else if (redirect_o) pc_q <= target_o;
      else if (advance) pc_q <= pc_q + 1'b1;
      if (start_i) completed_count_q <= '0;
      else if (completed_o) completed_count_q <= completed_count_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) verdict_q <= '0;
    else if (state_q == StCheck) verdict_q <= check_instruction(instr_o, engine_i, program_i, head_error_i, reject_i);
  end

  // Observation.
  logic in_progress;
  always_comb begin
    case (state_q)
      StIdle: state_o = SeqStateIdle;
      StFetch: state_o = SeqStateFetch;
      StWait: begin
        if (control_head & !scalar_head & !queue_empty) state_o = SeqStateDrain;
        else if (!wait_satisfied) state_o = SeqStateWaitSem;
        else if (queue_full) state_o = SeqStateWaitEngine;
        else state_o = SeqStateIssue;
      end
      StOffer: state_o = dispatch_ready_i ? SeqStateIssue : SeqStateWaitEngine;
      StHalted: state_o = SeqStateHalted;
      default: state_o = SeqStateIssue;
    endcase
    if (failed_q) state_o = SeqStateError;
  end

  assign pc_o              = pc_q;
  assign completed_count_o = completed_count_q;
  assign in_progress       = (state_q == StOffer) | (state_q == StExecute) | under_way | (state_q == StUpdate);
  assign quiet_o           = queue_empty & ((state_q == StIdle) | (state_q == StHalted) | (stop_i & !in_progress));
  assign active_o          = (state_d != state_q) | queue_valid | done_i | fault_valid_o | under_way | ((state_q == StWait) & hold_issue_i);

  `ifndef SYNTHESIS
  logic update_waits_q;  // the update was not taken in the previous cycle
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      update_waits_q <= 1'b0;
    end else begin
      update_waits_q <= update_valid_o & ~update_ready_i;
      UpdateKept: assert (!update_waits_q || update_valid_o || hold_done_i);
      StartWhenStopped: assert (start_i -> (((state_q == StIdle) | (state_q == StHalted)) & queue_empty & !stop_i));
      UnderWayHasState: assert ((under_way & !leaves) == (state_q == StUnderWay));
      BusDoneExpected: assert (bus_done_i -> bus_valid_o);
      WindowDoneExpected: assert (window_done_i -> window_valid_o);
      OutputsKnown: assert (!$isunknown({dispatch_valid_o, state_o, issued_o, completed_o, pc_o}));
    end
  end
  handshake_properties u_dispatch_properties (
    .clk_i, .rst_ni, .valid_i(dispatch_valid_o), .taken_i(dispatch_ready_i), .data_i(1'b0)
  );
  `endif

endmodule
