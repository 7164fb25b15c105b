// Wave scope of one engine's sequencer. Probes have no ports: they look into the blocks of the core by name,
// so that no block has outputs that only a viewer needs. All signals are narrow and have the same width in
// every configuration, because views name the width. None has an enum type, because GTKWave would not
// translate it by a table. Pulses last one core cycle in any clock domain, or until the core's own clock
// continues.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
/* verilator tracing_off */
module sequencer_probe
  import isa_pkg::*;
#(
  parameter int unsigned Engine = 0
);
  /* verilator tracing_on */

  // The instruction at the head; the opcode is 0 if there is none.
  logic [2:0]  state;
  logic [7:0]  opcode;
  logic [31:0] pc;

  assign state  = u_core_control.u_control.gen_engine[Engine].u_sequencer.state_o;
  assign pc     = u_core_control.u_control.gen_engine[Engine].u_sequencer.pc_q;
  assign opcode = (state == 3'(SeqStateIdle)) | (state == 3'(SeqStateFetch)) ? '0
                : 8'(u_core_control.u_control.gen_engine[Engine].u_sequencer.header.opcode);

  // The condition that the head waits for: the semaphore's value is compared with the wanted one. All are 0
  // for an instruction without a wait.
  logic [1:0]  wait_mode;
  logic [7:0]  wait_semaphore;
  logic [31:0] wait_value, semaphore_value;

  assign wait_mode       = opcode == '0 ? '0 : u_core_control.u_control.gen_engine[Engine].u_sequencer.header.wait_mode;
  assign wait_semaphore  = wait_mode == '0 ? '0 : u_core_control.u_control.gen_engine[Engine].u_sequencer.header.wait_sem;
  assign wait_value      = wait_mode == '0 ? '0 : 32'(u_core_control.u_control.gen_engine[Engine].u_sequencer.header.wait_value);
  assign semaphore_value = wait_mode == '0 ? '0 : u_core_control.u_control.gen_engine[Engine].u_sequencer.wait_value_i;

  // Instructions that were handed over and are not completed, and the pulses that add and remove one.
  logic       issue, complete, busy;
  logic [7:0] in_flight;

  assign issue     = u_core_control.issued[Engine] & neuron_core.bus_tick_i;
  assign complete  = u_core_control.completed[Engine] & neuron_core.bus_tick_i;
  assign busy      = neuron_core.busy_o[Engine];
  assign in_flight = 8'(u_core_control.u_control.gen_engine[Engine].u_sequencer.u_completion_queue.held_q);

  // The instruction that the engine executes: the oldest one in flight, because they complete in order, or
  // the one that the sequencer executes itself. The pc is all ones and the opcode 0 if there is none.
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
