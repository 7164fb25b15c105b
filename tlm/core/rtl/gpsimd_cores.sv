// In place of rtl/gpsimd/gpsimd_cores.sv in a simulated core: each GpSimd core is a model of its own. At each edge this hands over
// what enters the cores, has them work on it, and takes what leaves those that did (gpsimd_cores.hpp).
module gpsimd_cores
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

  typedef bit [8*BeatBytes-1:0] beat_bits_t;

  import "DPI-C" function void trnsim_gpsimd_reset();
  // What enters a core; data before the rest
  import "DPI-C" function void trnsim_gpsimd_window_data(input int unsigned core, input beat_bits_t data, input longint unsigned strobe);
  import "DPI-C" function void trnsim_gpsimd_slice_data(input int unsigned core, input beat_bits_t data);
  import "DPI-C" function void trnsim_gpsimd_enter(
    input int unsigned core, input bit run, input int unsigned boot, input bit irq, input bit window_req, input bit window_write,
    input int unsigned window_beat, input bit read_ready, input bit read_rvalid, input bit write_ready);
  // The edge. Returns the cores that had one, a bit each: what leaves the others stays
  import "DPI-C" function int unsigned trnsim_gpsimd_edge();
  import "DPI-C" function void trnsim_gpsimd_leave(
    input int unsigned core, output bit awake, output bit halted, output bit waiting, output bit trapped, output int unsigned pc,
    output bit window_gnt, output bit window_rvalid, output bit read_valid, output int unsigned read_beat, output bit write_valid,
    output int unsigned write_beat);
  import "DPI-C" function void trnsim_gpsimd_window_result(input int unsigned core, output beat_bits_t data);
  import "DPI-C" function void trnsim_gpsimd_slice_write(input int unsigned core, output beat_bits_t data, output longint unsigned strobe);

  // Arrays: of packed registers that change in part, the simulator copies the whole.
  logic [Cores-1:0] awake_q;
  beat_t            window_rdata_q [Cores], write_wdata_q [Cores];
  strobe_t          write_strobe_q [Cores];

  int unsigned      stepped, pc;
  /* verilator lint_off UNUSEDSIGNAL */  // as wide as any configuration's
  int unsigned      read_beat, write_beat;
  /* verilator lint_on UNUSEDSIGNAL */
  bit               awake, halted, waiting, trapped, window_gnt, window_rvalid, read_valid, write_valid;
  beat_bits_t       data;
  longint unsigned  strobe;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      trnsim_gpsimd_reset();
      halted_o     <= '1;
      window_gnt_o <= '1;
      {awake_q, waiting_o, trapped_o, window_rvalid_o, read_valid_o, write_valid_o} <= '0;
      pc_o         <= '0;
    end else begin
      for (int unsigned k = 0; k < Cores; k++) begin
        if (window_req_i[k] & window_write_i[k]) trnsim_gpsimd_window_data(k, window_wdata_i[k], window_strobe_i[k]);
        if (read_rvalid_i[k]) trnsim_gpsimd_slice_data(k, read_rdata_i[k]);
        trnsim_gpsimd_enter(
          k, run_i[k], boot_i, irq_i[k], window_req_i[k], window_write_i[k], 32'(window_beat_i[k]), read_ready_i[k], read_rvalid_i[k],
          write_ready_i[k]);
      end
      stepped = trnsim_gpsimd_edge();
      for (int unsigned k = 0; k < Cores; k++) begin
        if (stepped[k]) begin
          trnsim_gpsimd_leave(
            k, awake, halted, waiting, trapped, pc, window_gnt, window_rvalid, read_valid, read_beat, write_valid, write_beat);
          awake_q[k]         <= awake;
          halted_o[k]        <= halted;
          waiting_o[k]       <= waiting;
          trapped_o[k]       <= trapped;
          pc_o[k]            <= pc;
          window_gnt_o[k]    <= window_gnt;
          window_rvalid_o[k] <= window_rvalid;
          read_valid_o[k]    <= read_valid;
          read_beat_o[k]     <= slice_beat_t'(read_beat);
          write_valid_o[k]   <= write_valid;
          write_beat_o[k]    <= slice_beat_t'(write_beat);
          if (window_rvalid) begin
            trnsim_gpsimd_window_result(k, data);
            window_rdata_q[k] <= data;
          end
          if (write_valid) begin
            trnsim_gpsimd_slice_write(k, data, strobe);
            write_wdata_q[k]  <= data;
            write_strobe_q[k] <= strobe;
          end
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  for (genvar k = 0; k < Cores; k++) begin : g_data
    assign window_rdata_o[k] = window_rdata_q[k];
    assign write_wdata_o[k]  = write_wdata_q[k];
    assign write_strobe_o[k] = write_strobe_q[k];
  end
  assign active_o = |awake_q;

endmodule
