// A core with the signals that a co-simulation observes: instructions that retire, results, the registers that
// the parts of the vector unit write and the ends of their instructions, vector registers.
module gpsimd_tb
  import gpsimd_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        run_i,
  input  logic [31:0] boot_i,
  input  logic        irq_i,
  output logic        awake_o,
  output logic        halted_o,
  output logic        waiting_o,
  output logic        trapped_o,
  output logic [3:0]  trap_cause_o,

  input  logic        window_req_i,
  input  logic        window_write_i,
  input  tcm_beat_t   window_beat_i,
  input  beat_t       window_wdata_i,
  output logic        window_gnt_o,
  output logic        window_rvalid_o,
  output beat_t       window_rdata_o,

  output logic        read_valid_o,
  output slice_beat_t read_beat_o,
  input  logic        read_ready_i,
  input  logic        read_rvalid_i,
  input  beat_t       read_rdata_i,
  output logic        write_valid_o,
  output slice_beat_t write_beat_o,
  output beat_t       write_wdata_o,
  output strobe_t     write_strobe_o,
  input  logic        write_ready_i,

  output logic        retire_o,
  output logic [31:0] pc_o,
  output logic [31:0] insn_o,
  output logic        alu_valid_o,
  output logic [5:0]  alu_dest_o,
  output logic [31:0] alu_value_o,
  output logic        load_valid_o,
  output logic [5:0]  load_dest_o,
  output logic [31:0] load_value_o,
  output logic        unit_valid_o,
  output logic [5:0]  unit_dest_o,
  output logic [31:0] unit_value_o,
  // The following are signals of the vector unit's operations, loads and stores.
  output logic [1:0]  vector_write_o,
  output logic [4:0]  vector_index_o [2],
  output logic [2:0]  vector_done_o,
  output logic [2:0]  vector_beat_o,   // it makes a step
  output logic        vector_trap_o,
  output vreg_t       vector_registers_o [32]
);

  logic clk, active;

  clock_gate u_gate (
    .clk_i,
    .en_i (active),
    .clk_o(clk)
  );

  gpsimd_core u_core (
    .clk_i          (clk),
    .rst_ni,
    .hart_id_i      (32'd0),
    .active_o       (active),
    .awake_o,
    .run_i,
    .boot_i,
    .irq_i,
    .halted_o,
    .waiting_o,
    .trapped_o,
    .pc_o,
    .window_req_i,
    .window_write_i,
    .window_beat_i,
    .window_wdata_i,
    .window_strobe_i('1),
    .window_gnt_o,
    .window_rvalid_o,
    .window_rdata_o,
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

  assign trap_cause_o  = u_core.trap_info.cause;
  assign retire_o      = u_core.retires;
  assign insn_o        = u_core.insn_q;
  assign alu_valid_o   = u_core.alu_valid;
  assign alu_dest_o    = u_core.dest_q;
  assign alu_value_o   = u_core.alu_value;
  assign load_valid_o  = u_core.load_scalar & (u_core.load_access.dest != '0);
  assign load_dest_o   = u_core.load_access.dest;
  assign load_value_o  = u_core.load_value;
  assign unit_valid_o  = u_core.unit_valid & (u_core.unit_result.dest != '0);
  assign unit_dest_o   = u_core.unit_result.dest;
  assign unit_value_o  = u_core.unit_result.value;
  assign vector_write_o = {u_core.u_vector.arrives & (u_core.load_access.enable != '0), u_core.u_vector.enable != '0};
  assign vector_index_o[0] = u_core.u_vector.write_register;
  assign vector_index_o[1] = u_core.load_access.dest[4:0];
  assign vector_done_o = {u_core.u_vector.store_done | u_core.u_vector.u_store.finishes,
                          u_core.u_vector.load_done | (u_core.u_vector.arrives & u_core.load_access.ends),
                          u_core.vector_done};
  assign vector_beat_o = {u_core.vector_store_valid & u_core.store_ready, u_core.vector_load_valid & u_core.load_ready,
                          u_core.u_vector.advance};
  assign vector_trap_o = u_core.vector_memory_done & u_core.vector_trap;
  assign vector_registers_o = u_core.u_vector.u_registers.registers_q;

endmodule
