// Wave scope of the Tensor engine: its sequencer, the queue of decoded instructions, the load of the
// stationary operand, and one stream for each row group and column group.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
`define TENSOR u_engines.g_slot[EngineTensor].g_tensor.u_tensor
module tensor_probe
  import isa_pkg::*;
(
);

  sequencer_probe #(.Engine(32'(EngineTensor))) sequencer ();
  stream_probe #(.Group(0)) stream0 ();
  stream_probe #(.Group(1)) stream1 ();
  stream_probe #(.Group(2)) stream2 ();
  stream_probe #(.Group(3)) stream3 ();

  // The number of decoded instructions, the instruction that starts in this cycle, and completion of the
  // oldest.
  logic [4:0] queued;
  logic       start_load, start_matmul0, start_matmul1, array_busy, done;

  assign queued        = `TENSOR.put_q - `TENSOR.get_q;
  assign start_load    = `TENSOR.loader_start & u_engines.g_slot[EngineTensor].fire;
  assign start_matmul0 = `TENSOR.stream_start[0] & u_engines.g_slot[EngineTensor].fire;
  assign start_matmul1 = `TENSOR.stream_start[1] & u_engines.g_slot[EngineTensor].fire;
  assign array_busy    = `TENSOR.array_busy;
  assign done          = u_engines.g_slot[EngineTensor].finished & u_engines.g_slot[EngineTensor].fire;

  // The activities that the counters of the engine count.
  logic matmul_active, load_fast_active, load_normal_active, idle;

  assign matmul_active      = u_engines.tensor_activity.matmul & u_engines.g_slot[EngineTensor].fire;
  assign load_fast_active   = u_engines.tensor_activity.load_fast & u_engines.g_slot[EngineTensor].fire;
  assign load_normal_active = u_engines.tensor_activity.load_normal & u_engines.g_slot[EngineTensor].fire;
  assign idle               = u_engines.tensor_activity.idle;

  // Read of the stationary operand: the first SBUF row of the pair, and the beat's first column.
  logic        load_read, load_bank, load_upper;
  logic [15:0] load_sbuf_row;
  logic [8:0]  load_column;

  assign load_read     = neuron_core.stationary_re & u_engines.g_slot[EngineTensor].fire;
  assign load_sbuf_row = 16'(neuron_core.stationary_raddr[0]);
  assign load_column   = `TENSOR.u_loader.column_q;
  assign load_bank     = `TENSOR.u_loader.bank_q;

  // The beat that enters the array, read in the previous cycle: partitions 0 to 3 of its first column.
  logic       load_beat;
  logic [2:0] load_columns;  // number of columns in the beat

  assign load_beat    = `TENSOR.u_loader.load_q.valid & u_engines.g_slot[EngineTensor].fire;
  assign load_columns = `TENSOR.u_loader.load_q.number;

  assign load_upper   = `TENSOR.u_loader.byte_q[0][2];  // the column lies in the pair's second word

  lanes_probe stationary (
    .word_0_i(neuron_core.stationary_rdata[load_upper][0]), .word_1_i(neuron_core.stationary_rdata[load_upper][1]),
    .word_2_i(neuron_core.stationary_rdata[load_upper][2]), .word_3_i(neuron_core.stationary_rdata[load_upper][3]),
    .offset_i(`TENSOR.u_loader.byte_q[0][1:0]), .dtype_i(`TENSOR.u_loader.dtype_q)
  );

endmodule
`undef TENSOR
