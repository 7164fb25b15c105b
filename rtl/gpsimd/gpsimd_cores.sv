// The GpSimd cores, each with its own clock gate. In the simulation of a NeuronCore another module with this
// name replaces this one (model/core/rtl/gpsimd_cores.sv); there each core is a model beside the
// NeuronCore's.
//
// All outputs depend on registers alone.
module gpsimd_cores
  import gpsimd_pkg::*;
#(
  parameter int unsigned Cores = 8
) (
  input  logic clk_i,
  input  logic rst_ni,

  // See gpsimd_core; trapped_o lasts one edge.
  input  logic [Cores-1:0]        run_i, irq_i,
  input  logic [31:0]             boot_i,
  output logic [Cores-1:0]        halted_o, waiting_o, trapped_o,
  output logic [Cores-1:0][31:0]  pc_o,

  // Window into each TCM.
  input  logic [Cores-1:0]        window_req_i, window_write_i,
  input  tcm_beat_t [Cores-1:0]   window_beat_i,
  input  beat_t [Cores-1:0]       window_wdata_i,
  input  strobe_t [Cores-1:0]     window_strobe_i,
  output logic [Cores-1:0]        window_gnt_o, window_rvalid_o,
  output beat_t [Cores-1:0]       window_rdata_o,

  // Slices of SBUF.
  output logic [Cores-1:0]        read_valid_o, write_valid_o,
  output slice_beat_t [Cores-1:0] read_beat_o, write_beat_o,
  output beat_t [Cores-1:0]       write_wdata_o,
  output strobe_t [Cores-1:0]     write_strobe_o,
  input  logic [Cores-1:0]        read_ready_i, read_rvalid_i, write_ready_i,
  input  beat_t [Cores-1:0]       read_rdata_i,

  // A core works, so the next edge is needed even if nothing is requested.
  output logic active_o
);

  logic [Cores-1:0] awake;
  assign active_o = |awake;

  for (genvar k = 0; k < Cores; k++) begin : g_core
    logic clk, active;

    clock_gate u_gate (
      .clk_i,
      .en_i (active),
      .clk_o(clk)
    );

    gpsimd_core u_core (
      .clk_i          (clk),
      .rst_ni,
      .hart_id_i      (32'(k)),
      .active_o       (active),
      .awake_o        (awake[k]),
      .run_i          (run_i[k]),
      .boot_i,
      .irq_i          (irq_i[k]),
      .halted_o       (halted_o[k]),
      .waiting_o      (waiting_o[k]),
      .trapped_o      (trapped_o[k]),
      .pc_o           (pc_o[k]),
      .window_req_i   (window_req_i[k]),
      .window_write_i (window_write_i[k]),
      .window_beat_i  (window_beat_i[k]),
      .window_wdata_i (window_wdata_i[k]),
      .window_strobe_i(window_strobe_i[k]),
      .window_gnt_o   (window_gnt_o[k]),
      .window_rvalid_o(window_rvalid_o[k]),
      .window_rdata_o (window_rdata_o[k]),
      .read_valid_o   (read_valid_o[k]),
      .read_beat_o    (read_beat_o[k]),
      .read_ready_i   (read_ready_i[k]),
      .read_rvalid_i  (read_rvalid_i[k]),
      .read_rdata_i   (read_rdata_i[k]),
      .write_valid_o  (write_valid_o[k]),
      .write_beat_o   (write_beat_o[k]),
      .write_wdata_o  (write_wdata_o[k]),
      .write_strobe_o (write_strobe_o[k]),
      .write_ready_i  (write_ready_i[k])
    );
  end

endmodule
