// Tightly coupled memory: one access of a beat a cycle; data comes three cycles after the request.
//
// Load/store goes first and never waits; then comes the window, through which images are loaded; then
// instruction fetch.
module gpsimd_tcm
  import gpsimd_pkg::*;
#(
  parameter int unsigned Beats = gpsimd_cfg_pkg::TcmBytes / BeatBytes
) (
  input  logic      clk_i,
  input  logic      rst_ni,

  // Load/store.
  input  logic      data_req_i,
  input  logic      data_write_i,
  input  tcm_beat_t data_beat_i,
  input  beat_t     data_wdata_i,
  input  strobe_t   data_strobe_i,
  output logic      data_rvalid_o,

  // Window.
  input  logic      window_req_i,
  input  logic      window_write_i,
  input  tcm_beat_t window_beat_i,
  input  beat_t     window_wdata_i,
  input  strobe_t   window_strobe_i,
  output logic      window_gnt_o,
  output logic      window_rvalid_o,

  // Instruction fetch.
  input  logic      fetch_req_i,
  input  tcm_beat_t fetch_beat_i,
  output logic      fetch_gnt_o,
  output logic      fetch_rvalid_o,

  // Data for all three.
  output beat_t     rdata_o,
  output logic      busy_o
);

  typedef enum logic [1:0] {ReadNone, ReadData, ReadWindow, ReadFetch} read_e;

  beat_t     mem_q [Beats];
  // The first stage holds the request, the second is the array's output register, the third the output.
  read_e     read1_q, read2_q, read3_q;
  logic      write1_q;
  tcm_beat_t beat1_q;
  beat_t     wdata1_q [1];
  strobe_t   strobe1_q;
  beat_t     rdata2_q [1];
  beat_t     rdata3_q [1];

  assign window_gnt_o = ~data_req_i;
  assign fetch_gnt_o  = ~data_req_i & ~window_req_i;

  beat_words_t merged;
  always_comb begin
    merged = '0;
    if (write1_q) merge(merged, mem_q[beat1_q], wdata1_q[0], strobe1_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read1_q  <= ReadNone;
      read2_q  <= ReadNone;
      read3_q  <= ReadNone;
      write1_q <= 1'b0;
    end else begin
      read1_q  <= ReadNone;
      write1_q <= 1'b0;
      if (data_req_i) begin
        read1_q  <= data_write_i ? ReadNone : ReadData;
        write1_q <= data_write_i;
      end else if (window_req_i) begin
        read1_q  <= window_write_i ? ReadNone : ReadWindow;
        write1_q <= window_write_i;
      end else if (fetch_req_i) begin
        read1_q <= ReadFetch;
      end
      read2_q <= read1_q;
      read3_q <= read2_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (data_req_i) begin
      beat1_q <= data_beat_i;
      if (data_write_i) wdata1_q[0] <= data_wdata_i;
      strobe1_q <= data_strobe_i;
    end else if (window_req_i) begin
      beat1_q <= window_beat_i;
      if (window_write_i) wdata1_q[0] <= window_wdata_i;
      strobe1_q <= window_strobe_i;
    end else if (fetch_req_i) begin
      beat1_q <= fetch_beat_i;
    end
    if (write1_q) mem_q[beat1_q] <= merged;
    if (read1_q != ReadNone) rdata2_q[0] <= mem_q[beat1_q];
    if (read2_q != ReadNone) rdata3_q[0] <= rdata2_q[0];
  end

  assign data_rvalid_o   = read3_q == ReadData;
  assign window_rvalid_o = read3_q == ReadWindow;
  assign fetch_rvalid_o  = read3_q == ReadFetch;
  assign rdata_o         = rdata3_q[0];
  assign busy_o          = write1_q | (read1_q != ReadNone) | (read2_q != ReadNone) | (read3_q != ReadNone);

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      RequestsKnown: assert (!$isunknown({data_req_i, window_req_i, fetch_req_i}));
      BeatExists: assert (!(write1_q || read1_q != ReadNone) || 32'(beat1_q) < Beats);
    end
  end
  `endif

endmodule
