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

  // Vector unit: the state (state_e of gpsimd_vector) of its operation, the instruction, the beat or element,
  // vl and the width of elements. The load and the store beside it.
  logic        vector_state, vector_load, vector_store;
  logic [1:0]  vector_sew;
  logic [31:0] vector_instruction;
  logic [9:0]  vector_beat, vector_vl;
  logic        vector_waits, vector_writes, vector_load_waits, vector_store_waits;
  logic [4:0]  vector_register;

  assign vector_state       = u_vector.state_q;
  assign vector_instruction = u_vector.insn_q;
  assign vector_beat        = 10'(u_vector.beat_q);
  assign vector_vl          = 10'(u_vector.vstate_q.vl);
  assign vector_sew         = u_vector.vstate_q.vtype.sew[1:0];
  assign vector_waits       = u_vector.state_q & u_vector.blocked;
  assign vector_writes      = u_vector.enable != '0;
  assign vector_register    = u_vector.write_register;
  assign vector_load        = ~u_vector.load_idle;
  assign vector_load_waits  = ~u_vector.load_idle & u_vector.load_blocked;
  assign vector_store       = ~u_vector.store_idle;
  assign vector_store_waits = ~u_vector.store_idle & u_vector.store_blocked;

  // Memory ports: a load and a store to the TCM or the slice; lines and the window; loads under way.
  logic        load, load_ready, load_slice, store, store_ready, store_slice, line, window;
  logic [31:0] load_address, store_address;
  logic [3:0]  loads;

  assign load          = u_lsu.load_valid_i;
  assign load_ready    = u_lsu.load_ready_o;
  assign load_slice    = ~u_lsu.load_tcm;
  assign load_address  = u_lsu.load_address_i;
  assign store         = u_lsu.store_valid_i;
  assign store_ready   = u_lsu.store_ready_o;
  assign store_slice   = ~u_lsu.store_tcm;
  assign store_address = u_lsu.store_address_i;
  assign loads         = 4'(u_lsu.count_q);
  assign line          = gpsimd_core.line_req & gpsimd_core.line_gnt;
  assign window        = gpsimd_core.window_req_i & gpsimd_core.window_gnt_o;

endmodule
