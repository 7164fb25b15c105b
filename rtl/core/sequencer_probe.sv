// Wave scope of one engine's sequencer. Probes have no ports: they look into the blocks of the core by name, so that no block
// has outputs that only a viewer needs. All signals are narrow and of the same width in every configuration, as views name
// the width, and none is of an enum type, as GTKWave would not translate it by a table. Pulses last one core cycle, whatever
// the clock of the domain they come from, or until the core's own clock goes on.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
/* verilator tracing_off */
module sequencer_probe
  import isa_pkg::*;
#(
  parameter int unsigned Engine = 0
);
  /* verilator tracing_on */

  // The instruction at the head; no opcode (0) while there is none.
  logic [2:0]  state;
  logic [7:0]  opcode;
  logic [31:0] pc;

  assign state  = u_core_control.u_control.gen_engine[Engine].u_sequencer.state_o;
  assign pc     = u_core_control.u_control.gen_engine[Engine].u_sequencer.pc_q;
  assign opcode = (state == 3'(SeqStateIdle)) | (state == 3'(SeqStateFetch)) ? '0
                : 8'(u_core_control.u_control.gen_engine[Engine].u_sequencer.header.opcode);

  // What it waits for: the semaphore's value compared with the one wanted. All 0 for an instruction without a wait.
  logic [1:0]  wait_mode;
  logic [7:0]  wait_semaphore;
  logic [31:0] wait_value, semaphore_value;

  assign wait_mode       = opcode == '0 ? '0 : u_core_control.u_control.gen_engine[Engine].u_sequencer.header.wait_mode;
  assign wait_semaphore  = wait_mode == '0 ? '0 : u_core_control.u_control.gen_engine[Engine].u_sequencer.header.wait_sem;
  assign wait_value      = wait_mode == '0 ? '0 : 32'(u_core_control.u_control.gen_engine[Engine].u_sequencer.header.wait_value);
  assign semaphore_value = wait_mode == '0 ? '0 : u_core_control.u_control.gen_engine[Engine].u_sequencer.wait_value_i;

  // Instructions handed over and not completed, and the pulses at which one more or one less of them is.
  logic       issue, complete, busy;
  logic [7:0] in_flight;

  assign issue     = u_core_control.issued[Engine] & neuron_core.bus_tick_i;
  assign complete  = u_core_control.completed[Engine] & neuron_core.bus_tick_i;
  assign busy      = neuron_core.busy_o[Engine];
  assign in_flight = 8'(u_core_control.u_control.gen_engine[Engine].u_sequencer.u_completion_queue.held_q);

  // What the engine executes: of instructions in flight, which complete in order, the oldest, or the one that the sequencer
  // carries out itself. All ones and no opcode while there is none.
  logic [31:0] executing_pc;
  logic [7:0]  executing_opcode;
  /* verilator tracing_off */
  logic        begun;
  /* verilator tracing_on */

  assign begun            = u_core_control.u_control.gen_engine[Engine].u_sequencer.bus_valid_o
                          | u_core_control.u_control.gen_engine[Engine].u_sequencer.window_valid_o
                          | u_core_control.u_control.gen_engine[Engine].u_sequencer.under_way;
  assign executing_pc     = in_flight != '0 ? u_core_control.u_control.gen_engine[Engine].u_sequencer.queue_origin.pc
                          : begun ? pc : '1;
  assign executing_opcode = in_flight != '0 ? 8'(u_core_control.u_control.gen_engine[Engine].u_sequencer.queue_origin.opcode)
                          : begun ? opcode : '0;

endmodule
