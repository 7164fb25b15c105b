// Wave scope of a GpSimd core; rtl/core/sequencer_probe.sv explains how probes are made.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
/* verilator tracing_off */
module gpsimd_core_probe
  import gpsimd_pkg::*;
();
  /* verilator tracing_on */

  // The state of the core, a value of gpsimd_state; the instruction in execute, and whether it retires there
  // in this cycle or traps.
  logic        clock, execute, retires, trap;
  logic [1:0]  state;
  logic [31:0] pc, instruction;
  logic [3:0]  cause;

  assign clock       = gpsimd_core.clk_i;
  assign state       = gpsimd_core.halted_o ? 2'd0 : gpsimd_core.waiting_o ? 2'd2 : 2'd1;
  assign execute     = gpsimd_core.valid_q;
  assign pc          = gpsimd_core.pc_q;
  assign instruction = gpsimd_core.insn_q;
  assign retires     = gpsimd_core.retires;
  assign trap        = gpsimd_core.trap;
  assign cause       = gpsimd_core.trap ? gpsimd_core.trap_info.cause : '0;

  // Fetch: the next instruction, and whether it waits for a register.
  logic        fetched, hazard, redirect;
  logic [31:0] fetch_pc;

  assign fetched  = gpsimd_core.fetch_valid;
  assign fetch_pc = gpsimd_core.fetch_pc;
  assign hazard   = gpsimd_core.fetch_valid & gpsimd_core.hazard;
  assign redirect = gpsimd_core.redirect;

  // Vector unit: its state (state_e of gpsimd_vector), its instruction, the beat or element, vl and the width
  // of elements.
  logic [1:0]  vector_state, vector_sew;
  logic [31:0] vector_instruction;
  logic [9:0]  vector_beat, vector_vl;
  logic        vector_waits, vector_writes;
  logic [4:0]  vector_register;

  assign vector_state       = u_vector.state_q;
  assign vector_instruction = u_vector.insn_q;
  assign vector_beat        = 10'(u_vector.beat_q);
  assign vector_vl          = 10'(u_vector.vstate_q.vl);
  assign vector_sew         = u_vector.vstate_q.vtype.sew[1:0];
  assign vector_waits       = (u_vector.state_q != 2'd0) & u_vector.blocked;
  assign vector_writes      = u_vector.enable != '0;
  assign vector_register    = u_vector.write_register;

  // Memory port: an access to the TCM or the slice, from load/store or from fetch; loads under way.
  logic        access, access_ready, access_store, access_slice, line, window;
  logic [31:0] access_address;
  logic [3:0]  loads;

  assign access         = u_lsu.valid_i;
  assign access_ready   = u_lsu.ready_o;
  assign access_store   = u_lsu.store;
  assign access_slice   = ~u_lsu.tcm;
  assign access_address = u_lsu.address_i;
  assign loads          = 4'(u_lsu.count_q);
  assign line           = gpsimd_core.line_req & gpsimd_core.line_gnt;
  assign window         = gpsimd_core.window_req_i & gpsimd_core.window_gnt_o;

endmodule
