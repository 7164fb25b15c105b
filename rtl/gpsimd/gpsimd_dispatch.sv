// Executes the instructions of the GpSimd engine, one at a time. Arguments are written to the mailboxes. A
// command is written there and wakes its cores by their interrupts; it is done when they wait again and their
// mailboxes say so. A start halts cores and is done when they wait for commands.
module gpsimd_dispatch
  import gpsimd_engine_pkg::*;
  import gpsimd_pkg::*;
  import isa_pkg::*;
#(
  parameter int unsigned IssueLatency = 1  // cycles from an instruction to the interrupt
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Instructions that have been checked
  input  logic         instr_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // the sequencer has used the other fields
  input  logic [511:0] instr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic         instr_ready_o,
  output logic         done_o,
  output logic         busy_o,
  // Not ErrorNone after an instruction has failed, which does not complete; the address is the mailbox of the
  // first core that failed.
  output error_e       fault_o,
  output logic [31:0]  fault_address_o,

  // Cores
  output cores_t                  run_o, irq_o,
  output logic [31:0]             boot_o,
  input  cores_t                  halted_i, waiting_i, trapped_i,
  input  logic [Cores-1:0][31:0]  pc_i,
  output gpsimd_state_e [Cores-1:0] state_o,

  // Memories of the cores: all requested cores get the same access; no other access begins while active
  output logic          tcm_active_o,
  output cores_t        tcm_req_o,
  output logic          tcm_write_o,
  output tcm_beat_t     tcm_beat_o,
  output beat_t         tcm_wdata_o,
  output strobe_t       tcm_strobe_o,
  input  cores_t        tcm_gnt_i, tcm_rvalid_i,
  input  beat_t [Cores-1:0] tcm_rdata_i
);

  typedef enum logic [3:0] {
    StIdle,
    StWrite,    // one or two beats are written to the mailboxes
    StNumber,   // the number of each core is written to its mailbox
    StLatency,
    StRun,      // until all cores wait again
    StHalt,     // until all cores have halted
    StBoot,     // until all cores wait
    StRead,     // the mailboxes are read
    StFailed    // takes instructions and ignores them
  } state_e;

  localparam int unsigned CoreBits  = Cores > 1 ? $clog2(Cores) : 1;
  localparam int unsigned CountBits = 10;
  localparam int unsigned WakeLimit = 64;  // cycles in which an interrupt wakes a core, if at all

  state_e               state_q;
  opcode_e              opcode_q;
  cores_t               mask_q, pending_q, answered_q, bad_q, trapped_q;
  logic [CoreBits-1:0]  number_q;
  logic [CountBits-1:0] count_q;
  logic [31:0]          request_q, boot_q;
  logic                 done_q;

  // Beats that are to be written.
  logic                 step_q, last_q;
  tcm_beat_t            beat_q;
  beat_t                wdata_q [2];
  strobe_t              strobe_q [2];

  // ------------------------------------------------------------------------------------------------------------ instructions
  /* verilator lint_off UNUSEDSIGNAL */
  core_arguments_t arguments;
  core_command_t   command;
  core_start_t     start;
  /* verilator lint_on UNUSEDSIGNAL */
  assign arguments = instr_i;
  assign command   = instr_i;
  assign start     = instr_i;
  assign instr_ready_o = (state_q == StIdle) | (state_q == StFailed);

  // Places of the words of arguments in two beats.
  localparam int unsigned SpreadWords = 2 * BeatWords;
  localparam int unsigned GivenBits   = 12 * 32;
  logic [3:0]              first;
  logic [SpreadWords-1:0]  spread_words;
  assign first        = arguments.first_word[3:0];
  assign spread_words = ((SpreadWords'(1) << arguments.words) - 1'b1) << first;

  logic [31:0] next_request;
  assign next_request = request_q == '1 ? 32'd1 : request_q + 32'd1;

  // ------------------------------------------------------------------------------------------------------------------- cores
  // A trap handler cannot be executed if a core traps at an address and executes nothing else until it traps
  // there again. It would do so forever.
  cores_t                 stuck, same_q;
  logic [Cores-1:0][31:0] trap_pc_q;
  for (genvar k = 0; k < Cores; k++) begin : g_stuck
    assign stuck[k] = trapped_i[k] & same_q[k] & pc_i[k] == trap_pc_q[k];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        same_q[k]    <= 1'b0;
        trap_pc_q[k] <= '0;
      end else if (trapped_i[k]) begin
        same_q[k]    <= 1'b1;
        trap_pc_q[k] <= pc_i[k];
      end else if (same_q[k] && pc_i[k] != trap_pc_q[k]) begin
        same_q[k] <= 1'b0;
      end
    end
  end

  for (genvar k = 0; k < Cores; k++) begin : g_state
    assign state_o[k] = trapped_q[k] ? GpsimdStateTrapped : waiting_i[k] ? GpsimdStateWaiting : halted_i[k] ? GpsimdStateHalted : GpsimdStateRunning;
  end

  // Tells which mailboxes report a failure.
  cores_t wrong;
  for (genvar k = 0; k < Cores; k++) begin : g_answer
    assign wrong[k] = opcode_q == OpGpsimdStart ? tcm_rdata_i[k][32*MailboxMagic+:32] != Magic
                    : tcm_rdata_i[k][32*MailboxCompleted+:32] != request_q | tcm_rdata_i[k][32*MailboxStatus+:32] != StatusOk;
  end

  // Cores that make an instruction fail in this cycle.
  cores_t failing;
  always_comb begin
    failing = '0;
    case (state_q)
      StLatency: if (32'(count_q) >= IssueLatency) failing = mask_q & ~waiting_i;
      StRun:     failing = mask_q & (stuck | (32'(count_q) >= WakeLimit ? irq_o : '0));
      StBoot:    failing = mask_q & stuck;
      StRead:    if (answered_q == mask_q) failing = bad_q;
      default: ;
    endcase
  end

  cores_t ungranted;
  logic   numbered;  // the core has its number, or does not take part
  assign ungranted = pending_q & ~tcm_gnt_i;
  assign numbered  = ~mask_q[number_q] | tcm_gnt_i[number_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      opcode_q   <= OpGpsimdCommand;
      mask_q     <= '0;
      pending_q  <= '0;
      answered_q <= '0;
      bad_q      <= '0;
      trapped_q  <= '0;
      number_q   <= '0;
      count_q    <= '0;
      request_q  <= '0;
      boot_q     <= '0;
      done_q     <= 1'b0;
      step_q     <= 1'b0;
      last_q     <= 1'b0;
      run_o      <= '0;
      irq_o      <= '0;
      fault_o    <= ErrorNone;
      fault_address_o <= '0;
    end else begin
      done_q    <= 1'b0;
      trapped_q <= trapped_q | trapped_i;
      if (count_q != '1) count_q <= count_q + 1'b1;
      case (state_q)
        StIdle: if (instr_valid_i) begin
          opcode_q  <= command.opcode;
          step_q    <= 1'b0;
          number_q  <= '0;
          count_q   <= '0;
          state_q   <= StWrite;
          mask_q    <= cores_t'(command.core_mask);
          pending_q <= cores_t'(command.core_mask);
          case (command.opcode)
            OpGpsimdArguments: begin
              mask_q    <= '1;
              pending_q <= '1;
              last_q    <= spread_words[SpreadWords-1:BeatWords] != '0;
            end
            OpGpsimdCommand: begin
              last_q    <= 1'b1;
              request_q <= next_request;
            end
            default: begin
              state_q <= StHalt;
              boot_q  <= start.boot;
              run_o   <= run_o & ~cores_t'(start.core_mask);
            end
          endcase
        end
        StWrite: begin
          pending_q <= ungranted;
          if (ungranted == '0) begin
            pending_q <= mask_q;
            step_q    <= 1'b1;
            if (step_q == last_q) begin
              step_q  <= 1'b0;
              state_q <= opcode_q == OpGpsimdArguments ? StIdle : StNumber;
              done_q  <= opcode_q == OpGpsimdArguments;
            end
          end
        end
        StNumber: if (numbered) begin
          number_q <= number_q + 1'b1;
          if (32'(number_q) == Cores - 1) state_q <= StLatency;
        end
        StLatency: if (32'(count_q) >= IssueLatency) begin
          irq_o   <= mask_q;
          count_q <= '0;
          state_q <= StRun;
        end
        StRun: begin
          irq_o <= irq_o & waiting_i;
          if ((mask_q & (irq_o | ~waiting_i)) == '0) begin
            pending_q  <= mask_q;
            answered_q <= '0;
            state_q    <= StRead;
          end
        end
        StHalt: if ((mask_q & ~halted_i) == '0) begin
          run_o     <= run_o | mask_q;
          trapped_q <= trapped_q & ~mask_q;
          state_q   <= StBoot;
        end
        StBoot: if ((mask_q & ~waiting_i) == '0) begin
          pending_q  <= mask_q;
          answered_q <= '0;
          state_q    <= StRead;
        end
        StRead: begin
          pending_q  <= ungranted;
          answered_q <= answered_q | tcm_rvalid_i;
          bad_q      <= (bad_q & ~tcm_rvalid_i) | (wrong & tcm_rvalid_i);
          if (answered_q == mask_q) begin
            done_q    <= bad_q == '0;
            trapped_q <= trapped_q & ~(mask_q & ~bad_q);  // the traps have been handled
            state_q   <= StIdle;
          end
        end
        default: ;
      endcase
      if (failing != '0) begin
        state_q <= StFailed;
        irq_o   <= '0;
        run_o   <= run_o & ~mask_q;
        fault_o <= ErrorGpsimdFault;
        for (int unsigned k = Cores; k > 0; k--) begin
          if (failing[k-1]) fault_address_o <= mailbox_address(k - 1);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle && instr_valid_i) begin
      if (command.opcode == OpGpsimdArguments) begin
        beat_q <= MailboxBeat + tcm_beat_t'(MailboxArguments / BeatWords) + tcm_beat_t'(arguments.first_word[7:4]);
        {wdata_q[1], wdata_q[0]} <= (2 * $bits(beat_t))'(instr_i[511-:GivenBits]) << {first, 5'b0};
        strobe_q[0] <= strobe_of(spread_words[BeatWords-1:0]);
        strobe_q[1] <= strobe_of(spread_words[SpreadWords-1:BeatWords]);
      end else begin
        beat_q <= MailboxBeat;
        wdata_q[0][32*MailboxRequest+:32] <= next_request;
        wdata_q[0][32*MailboxCommand+:32] <= 32'(command.operation);
        wdata_q[0][32*MailboxCores+:32]   <= 32'($countones(command.core_mask));
        wdata_q[1][32*(MailboxPartitionBytes-BeatWords)+:32] <= cfg_pkg::SbufBytes;
        wdata_q[1][32*(MailboxPartitions-BeatWords)+:32]     <= cfg_pkg::Lanes;
        strobe_q[0] <= strobe_of(words_t'(1 << MailboxRequest | 1 << MailboxCommand | 1 << MailboxCores));
        strobe_q[1] <= strobe_of(words_t'(1 << (MailboxPartitionBytes - BeatWords) | 1 << (MailboxPartitions - BeatWords)));
      end
    end
    if (state_q == StWrite && ungranted == '0 && step_q == last_q) begin
      wdata_q[0][32*MailboxCore+:32] <= '0;
      strobe_q[0] <= strobe_of(words_t'(1 << MailboxCore));
    end
    if (state_q == StNumber) wdata_q[0][32*MailboxCore+:32] <= 32'(number_q) + 32'(numbered);
  end

  assign boot_o       = boot_q;
  assign done_o       = done_q;
  assign busy_o       = !instr_ready_o | done_q;
  assign tcm_active_o = (state_q == StWrite) | (state_q == StNumber) | (state_q == StRead);
  assign tcm_req_o    = (state_q == StNumber) ? mask_q & (cores_t'(1) << number_q) : tcm_active_o ? pending_q : '0;
  assign tcm_write_o  = state_q != StRead;
  assign tcm_beat_o   = state_q == StRead ? MailboxBeat : beat_q + tcm_beat_t'(step_q);
  assign tcm_wdata_o  = wdata_q[step_q];
  assign tcm_strobe_o = strobe_q[step_q];

  if (MailboxOffset % BeatBytes != 0 || MailboxStatus >= BeatWords || MailboxPartitionBytes < BeatWords || MailboxPartitions >= 2 * BeatWords) begin : g_layout
    $error("the mailbox has the request and the answer in its first beat, the sizes in its second");
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      AcceptedIsLegal: assert (!(instr_valid_i && instr_ready_o) || check(instr_i) == ErrorNone);
      InterruptedRuns: assert ((irq_o & ~run_o) == '0);
      OnlyAsked: assert ((tcm_gnt_i & ~tcm_req_o) == '0);
      AnswersExpected: assert (tcm_rvalid_i == '0 || (state_q == StRead && (tcm_rvalid_i & (pending_q | answered_q | ~mask_q)) == '0));
      NoFaultWithoutAddress: assert ((fault_o != ErrorNone) == (fault_address_o != '0));
      StatusKnown: assert (!$isunknown({state_q, run_o, irq_o, done_o, tcm_req_o}));
    end
  end
  `endif

endmodule
