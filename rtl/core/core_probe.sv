// Wave scope of the core as a whole: clocks, rest, faults, and the updates of semaphores.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
module core_probe
  import control_pkg::*;
  import isa_pkg::*;
(
);

  logic reset, idle, error;  // idle: the clock stops and no signal changes until an input does

  // High in a core cycle that began with an edge of the domain's clock; low while idle.
  logic bus_clock, tensor_clock, vector_clock, sbuf_clock, psum_clock;

  assign bus_clock    = neuron_core.bus_clk & ~idle;
  assign tensor_clock = u_engines.g_slot[EngineTensor].clk & ~idle;
  assign vector_clock = u_engines.g_slot[EngineVector].clk & ~idle;
  assign sbuf_clock   = u_memories.sbuf_clk & ~idle;
  assign psum_clock   = u_memories.psum_clk & ~idle;

  // The first fault stays until reset.
  logic [4:0] error_code;
  engine_id_t error_engine;
  logic [31:0] error_pc;

  assign reset        = ~neuron_core.rst_ni;
  assign idle         = neuron_core.idle_o;
  assign error        = neuron_core.error_o;
  assign error_code   = u_core_control.u_control.u_control_registers.fault_q.code;
  assign error_engine = u_core_control.u_control.u_control_registers.fault_q.engine;
  assign error_pc     = u_core_control.u_control.u_control_registers.fault_q.pc;

  // One bit for each engine.
  logic [4:0] busy, issue, complete;

  assign busy     = neuron_core.busy_o;
  assign issue    = u_core_control.issued & {Engines{neuron_core.bus_tick_i}};
  assign complete = u_core_control.completed & {Engines{neuron_core.bus_tick_i}};

  // An update of a semaphore: its source (one bit for each engine, bit 5 for the core window), the semaphore,
  // its value afterwards.
  logic        semaphore_update;
  logic [5:0]  semaphore_by;
  logic [7:0]  semaphore_index;
  logic [31:0] semaphore_value;

  assign semaphore_update = u_core_control.u_control.u_semaphores.write & neuron_core.bus_tick_i;
  assign semaphore_by     = u_core_control.u_control.u_semaphores.update_ready_o;
  assign semaphore_index  = u_core_control.u_control.u_semaphores.update.sem;
  assign semaphore_value  = u_core_control.u_control.u_semaphores.new_value;

endmodule
