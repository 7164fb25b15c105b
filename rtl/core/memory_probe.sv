// Wave scope of the memories and the bus: the engines' reads and writes of SBUF and PSUM, the AXI subordinate
// ports, accesses to semaphores and registers, and the manager port.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
module memory_probe
  import cfg_pkg::*;
  import row_port_pkg::*;
(
);

  for (genvar p = 0; p < AxiPorts; p++) begin : port
    port_probe #(.Port(p)) probe ();
  end
  manager_probe manager ();

  // Row accesses of the engines. The Tensor engine's writes to PSUM may accumulate.
  logic sbuf_moving0_read, sbuf_moving1_read, sbuf_stationary_read, sbuf_vector_read, sbuf_vector_write,
        sbuf_scalar_read, sbuf_scalar_write;
  logic psum_tensor0_write, psum_tensor1_write, psum_vector_read, psum_vector_write, psum_scalar_read, psum_scalar_write;

  assign sbuf_moving0_read    = u_memories.moving_re[0];
  assign sbuf_moving1_read    = u_memories.moving_re[1];
  assign sbuf_stationary_read = u_memories.sbuf_re[0];
  assign sbuf_vector_read     = u_memories.sbuf_re[u_memories.RowPort + VectorRows];
  assign sbuf_vector_write    = u_memories.sbuf_we[VectorRows];
  assign sbuf_scalar_read     = u_memories.sbuf_re[u_memories.RowPort + ScalarRows];
  assign sbuf_scalar_write    = u_memories.sbuf_we[ScalarRows];
  assign psum_tensor0_write   = u_memories.psum_acc_we[0];
  assign psum_tensor1_write   = u_memories.psum_acc_we[1];
  assign psum_vector_read     = u_memories.psum_re[VectorRows];
  assign psum_vector_write    = u_memories.psum_we[VectorRows];
  assign psum_scalar_read     = u_memories.psum_re[ScalarRows];
  assign psum_scalar_write    = u_memories.psum_we[ScalarRows];

  // Requesters that wait in this cycle because another has the port.
  logic moving_wait, vector_wait, scalar_wait, bus_wait, sequencer_wait;

  assign moving_wait    = u_memories.moving_waits;
  assign vector_wait    = u_memories.vector_waits;
  assign scalar_wait    = u_memories.scalar_waits;
  assign bus_wait       = (u_memories.waiting_reads[AxiPorts-1:0] | u_memories.waiting_writes[AxiPorts-1:0]) != '0 & neuron_core.bus_tick_i;
  assign sequencer_wait = (u_memories.waiting_reads[AxiPorts] | u_memories.waiting_writes[AxiPorts]) & neuron_core.bus_tick_i;

  // Access to a semaphore, event or register, one port at a time.
  logic        system_access, system_write;
  logic [25:0] system_address;
  logic [31:0] system_data;  // data of a write

  assign system_access  = u_core_control.sys_valid & u_core_control.sys_ready & neuron_core.bus_tick_i;
  assign system_write   = u_core_control.sys_we;
  assign system_address = u_core_control.sys_addr;
  assign system_data    = u_core_control.sys_wdata;

endmodule
