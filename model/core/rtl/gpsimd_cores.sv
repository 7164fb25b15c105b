// Replaces rtl/gpsimd/gpsimd_cores.sv in a simulated core: each GpSimd core is a model of its own. At each
// edge this module hands over the inputs of the cores, has them work on the edge, and takes the outputs of
// those that did (gpsimd_cores.hpp).
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

  // Pins of one bit, in the order of gpsimd_cores.cpp
  typedef struct packed {
    bit run, irq, window_req, window_write, read_ready, read_rvalid, write_ready;
  } entering_t;
  typedef struct packed {
    bit awake, halted, waiting, trapped, window_gnt, window_rvalid, read_valid, write_valid;
  } leaving_t;

  // The cores that belong to this model, for the functions below
  import "DPI-C" function chandle trnsim_gpsimd_reset();
  // The inputs of a core; data before the rest
  import "DPI-C" function void trnsim_gpsimd_window_data(
    input chandle cores, input int unsigned core, input beat_bits_t data, input longint unsigned strobe);
  import "DPI-C" function void trnsim_gpsimd_slice_data(input chandle cores, input int unsigned core, input beat_bits_t data);
  import "DPI-C" function void trnsim_gpsimd_enter(
    input chandle cores, input int unsigned core, input int unsigned entering, input int unsigned boot, input int unsigned window_beat);
  // Makes the edge. Returns the cores that had one, one bit each: the outputs of the others stay
  import "DPI-C" function int unsigned trnsim_gpsimd_edge(input chandle cores);
  // Returns leaving_t
  import "DPI-C" function int unsigned trnsim_gpsimd_leave(
    input chandle cores, input int unsigned core, output int unsigned pc, output int unsigned read_beat, output int unsigned write_beat);
  import "DPI-C" function void trnsim_gpsimd_window_result(input chandle cores, input int unsigned core, output beat_bits_t data);
  import "DPI-C" function void trnsim_gpsimd_slice_write(
    input chandle cores, input int unsigned core, output beat_bits_t data, output longint unsigned strobe);

  // Registers of their own have the same names in every version of Verilator (verilated_state.cpp).
  logic [Cores-1:0]       awake_q, halted_q, waiting_q;
  logic [Cores-1:0][31:0] pc_q;
  // These are arrays: of packed registers that change in part, the simulator copies the whole.
  beat_t            window_rdata_q [Cores], write_wdata_q [Cores];
  strobe_t          write_strobe_q [Cores];

  /* verilator tracing_off */  // a pointer says nothing, and differs from run to run
  chandle           cores;
  /* verilator tracing_on */
  int unsigned      stepped, pc;
  /* verilator lint_off UNUSEDSIGNAL */  // as wide as any configuration's
  int unsigned      read_beat, write_beat;
  /* verilator lint_on UNUSEDSIGNAL */
  entering_t        entering;
  leaving_t         leaving;
  beat_bits_t       data;
  longint unsigned  strobe;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cores = trnsim_gpsimd_reset();
      halted_q     <= '1;
      window_gnt_o <= '1;
      {awake_q, waiting_q, trapped_o, window_rvalid_o, read_valid_o, write_valid_o} <= '0;
      pc_q         <= '0;
    end else begin
      for (int unsigned k = 0; k < Cores; k++) begin
        if (window_req_i[k] & window_write_i[k]) trnsim_gpsimd_window_data(cores, k, window_wdata_i[k], window_strobe_i[k]);
        if (read_rvalid_i[k]) trnsim_gpsimd_slice_data(cores, k, read_rdata_i[k]);
        entering = '{
          run: run_i[k], irq: irq_i[k], window_req: window_req_i[k], window_write: window_write_i[k],
          read_ready: read_ready_i[k], read_rvalid: read_rvalid_i[k], write_ready: write_ready_i[k]};
        trnsim_gpsimd_enter(cores, k, 32'(entering), boot_i, 32'(window_beat_i[k]));
      end
      stepped = trnsim_gpsimd_edge(cores);
      for (int unsigned k = 0; k < Cores; k++) begin
        if (stepped[k]) begin
          leaving = leaving_t'(trnsim_gpsimd_leave(cores, k, pc, read_beat, write_beat));
          awake_q[k]         <= leaving.awake;
          halted_q[k]        <= leaving.halted;
          waiting_q[k]       <= leaving.waiting;
          trapped_o[k]       <= leaving.trapped;
          pc_q[k]            <= pc;
          window_gnt_o[k]    <= leaving.window_gnt;
          window_rvalid_o[k] <= leaving.window_rvalid;
          read_valid_o[k]    <= leaving.read_valid;
          read_beat_o[k]     <= slice_beat_t'(read_beat);
          write_valid_o[k]   <= leaving.write_valid;
          write_beat_o[k]    <= slice_beat_t'(write_beat);
          if (leaving.window_rvalid) begin
            trnsim_gpsimd_window_result(cores, k, data);
            window_rdata_q[k] <= data;
          end
          if (leaving.write_valid) begin
            trnsim_gpsimd_slice_write(cores, k, data, strobe);
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
  assign active_o  = |awake_q;
  assign halted_o  = halted_q;
  assign waiting_o = waiting_q;
  assign pc_o      = pc_q;

endmodule
