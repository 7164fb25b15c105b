// Wave scope of one moving-operand stream of the Tensor engine, from the SBUF row it reads to the PSUM row it
// writes. Lanes are partitions 0 to 3 of the moving operand, and columns 0 to 3 of the result as fp32
// numbers.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
/* verilator tracing_off */
`define TENSOR u_engines.g_slot[EngineTensor].g_tensor.u_tensor
module stream_probe
  import isa_pkg::*;
  import cfg_pkg::*;
#(
  parameter int unsigned Group = 0
);

  localparam int unsigned BankRows = PsumBytes / PsumBanks / 4;
  /* verilator tracing_on */

  // The matmul with elements being read, and its row of SBUF.
  logic        active, weight_bank, read;
  logic [3:0]  dtype;
  logic [1:0]  pass;  // one of the four passes of an fp32 operand
  logic [15:0] sbuf_row;

  assign active      = `TENSOR.g_stream[Group].u_stream.active_q;
  assign weight_bank = `TENSOR.g_stream[Group].u_stream.bank_q;
  assign dtype       = `TENSOR.g_stream[Group].u_stream.command_q.dtype;
  assign pass        = `TENSOR.g_stream[Group].u_stream.pass_q;
  assign read        = neuron_core.moving_re[Group] & u_engines.g_slot[EngineTensor].fire;
  assign sbuf_row    = 16'(neuron_core.moving_raddr[Group]);

  // The element that enters the array; its word was read in the previous cycle.
  logic element;

  assign element = `TENSOR.g_stream[Group].u_stream.element_q.valid & u_engines.g_slot[EngineTensor].fire;

  localparam int unsigned First = tensor_pkg::row_group(tensor_pkg::stream_t'(Group)) * tensor_pkg::GroupRows;  // partition of the stream
  localparam int unsigned Port  = tensor_pkg::column_group(tensor_pkg::stream_t'(Group));
  lanes_probe moving (
    .word_0_i(neuron_core.moving_rdata[Port][First+0]), .word_1_i(neuron_core.moving_rdata[Port][First+1]),
    .word_2_i(neuron_core.moving_rdata[Port][First+2]), .word_3_i(neuron_core.moving_rdata[Port][First+3]),
    .offset_i(`TENSOR.g_stream[Group].u_stream.byte_q), .dtype_i(`TENSOR.g_stream[Group].u_stream.dtype_q)
  );

  // The result that leaves the array for PSUM.
  logic        write, accumulate, last;
  logic [15:0] psum_row;
  logic [3:0]  psum_bank;
  logic [7:0]  partition;  // the first partition that is written
  logic [8:0]  columns;
  logic [31:0] result_0, result_1, result_2, result_3;

  assign write      = `TENSOR.result[Group].valid & u_engines.g_slot[EngineTensor].fire;
  assign accumulate = `TENSOR.result[Group].accumulate & write;
  assign last       = `TENSOR.result[Group].last & write;
  assign psum_row   = 16'(`TENSOR.result[Group].psum_row);
  assign psum_bank  = 4'(psum_row / 16'(BankRows));
  assign partition  = 8'(`TENSOR.result[Group].dst_lane);
  assign columns    = `TENSOR.result[Group].columns;
  assign result_0   = `TENSOR.data[Group][0];
  assign result_1   = `TENSOR.data[Group][1];
  assign result_2   = `TENSOR.data[Group][2];
  assign result_3   = `TENSOR.data[Group][3];

endmodule
`undef TENSOR
