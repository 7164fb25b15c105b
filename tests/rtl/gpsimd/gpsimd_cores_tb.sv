// GpSimd cores as in a simulated NeuronCore; the name differs from that of the RTL's cores.
module gpsimd_cores_tb
  import gpsimd_pkg::*;
#(
  parameter int unsigned Cores = 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [Cores-1:0]        run_i, irq_i,
  input  logic [31:0]             boot_i,
  output logic [Cores-1:0]        halted_o, waiting_o, trapped_o,
  output logic [Cores-1:0][31:0]  pc_o,
  input  logic [Cores-1:0]        window_req_i, window_write_i,
  input  tcm_beat_t [Cores-1:0]   window_beat_i,
  input  beat_t [Cores-1:0]       window_wdata_i,
  input  strobe_t [Cores-1:0]     window_strobe_i,
  output logic [Cores-1:0]        window_gnt_o, window_rvalid_o,
  output beat_t [Cores-1:0]       window_rdata_o,
  output logic [Cores-1:0]        read_valid_o, write_valid_o,
  output slice_beat_t [Cores-1:0] read_beat_o, write_beat_o,
  output beat_t [Cores-1:0]       write_wdata_o,
  output strobe_t [Cores-1:0]     write_strobe_o,
  input  logic [Cores-1:0]        read_ready_i, read_rvalid_i, write_ready_i,
  input  beat_t [Cores-1:0]       read_rdata_i,
  output logic                    active_o
);

  gpsimd_cores #(
    .Cores(Cores)
  ) u_cores (
    .clk_i, .rst_ni, .run_i, .irq_i, .boot_i, .halted_o, .waiting_o, .trapped_o, .pc_o, .window_req_i, .window_write_i,
    .window_beat_i, .window_wdata_i, .window_strobe_i, .window_gnt_o, .window_rvalid_o, .window_rdata_o, .read_valid_o,
    .write_valid_o, .read_beat_o, .write_beat_o, .write_wdata_o, .write_strobe_o, .read_ready_i, .read_rvalid_i, .write_ready_i,
    .read_rdata_i, .active_o
  );

endmodule
