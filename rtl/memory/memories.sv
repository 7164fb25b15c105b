// SBUF and PSUM with everything that reaches them: the engines' ports, the turns on those that two engines share, the beats of the
// bus, and clocks that have an edge only in cycles with an access.
//
// An access counts in a cycle with fire_i: its requester has an edge at the end of it.
module memories
  import core_pkg::*;
  import row_port_pkg::*;
#(
  parameter int unsigned Streams     = 1,  // of moving operands, each with a port to PSUM
  parameter int unsigned LoadWords   = 1,  // of a partition, of the stationary operand, read in one cycle
  parameter int unsigned AxiPorts    = 1,
  parameter int unsigned WindowPorts = AxiPorts + 1  // the last one writes words
) (
  input  logic clk_i,   // core clock
  input  logic rst_ni,

  // Tensor engine: rows of moving and stationary operands, results to overwrite or accumulate
  input  logic                   tensor_fire_i,
  input  logic [Streams-1:0]     moving_re_i,
  input  sbuf_row_t              moving_raddr_i [Streams],
  output row_t                   moving_rdata_o [Streams],
  input  logic                   stationary_re_i,
  input  sbuf_row_t              stationary_raddr_i [LoadWords],
  output row_t                   stationary_rdata_o [LoadWords],
  input  logic [Streams-1:0]     acc_we_i,
  input  psum_row_t              acc_addr_i [Streams],
  input  logic [Streams-1:0]     acc_add_i,
  input  row_t                   acc_data_i [Streams],
  input  mask_t                  acc_mask_i [Streams],

  // Elementwise engines. Vector will share its SBUF port with GpSimd, Vector and Scalar share the PSUM port.
  input  logic [RowEngines-1:0]       fire_i,
  input  row_claim_t [RowEngines-1:0] sbuf_claim_i,
  output row_grant_t [RowEngines-1:0] sbuf_grant_o,
  input  row_req_t [RowEngines-1:0]   sbuf_req_i,
  output row_t                        sbuf_rdata_o [RowEngines],
  input  row_claim_t [RowEngines-1:0] psum_claim_i,
  output row_grant_t [RowEngines-1:0] psum_grant_o,
  input  row_req_t [RowEngines-1:0]   psum_req_i,
  output row_t                        psum_rdata_o,
  input  row_t                        wdata_i [RowEngines],
  input  mask_t                       wmask_i [RowEngines],

  // Bus: beats of memory words. The last port is the sequencers', which writes one word.
  input  logic                         bus_fire_i,
  input  logic [WindowPorts-1:0]       sbuf_beat_re_i,
  input  logic [WindowPorts-1:0]       psum_beat_re_i,
  input  bus_pkg::target_t             rd_target_i [WindowPorts],
  output beat_t                        sbuf_beat_o [WindowPorts],
  output beat_t                        psum_beat_o [WindowPorts],
  input  logic [WindowPorts-1:0]       sbuf_beat_we_i,
  input  logic [WindowPorts-1:0]       psum_beat_we_i,
  input  bus_pkg::target_t             wr_target_i [WindowPorts],
  input  beat_t [AxiPorts-1:0]         beat_wdata_i,
  input  strobe_t [AxiPorts-1:0]       beat_strobe_i,
  input  logic [$clog2(BeatWords)-1:0] word_i,  // which of the beat
  input  logic [31:0]                  word_wdata_i,

  input  logic [1:0] hold_port_i,  // verification: nobody is given the shared port of SBUF, of PSUM
  output logic       changing_o    // whose turn it is changes with the next edge
);

  localparam int unsigned WordPort = AxiPorts;

  // --------------------------------------------------------------------------------------------------- turns on shared ports
  // GpSimd has no instructions that access memory yet.
  logic unused_gpsimd_gnt, unused_gpsimd_hold;
  logic [1:0] turn_changing;

  shared_port u_sbuf_port (
    .clk_i, .rst_ni, .stall_i(hold_port_i[0]),
    .req_i({1'b0, sbuf_claim_i[VectorRows].needs}), .busy_i({1'b0, sbuf_claim_i[VectorRows].uses}),
    .gnt_o({unused_gpsimd_gnt, sbuf_grant_o[VectorRows].granted}), .hold_o({unused_gpsimd_hold, sbuf_grant_o[VectorRows].hold}),
    .changing_o(turn_changing[0])
  );
  assign sbuf_grant_o[ScalarRows] = '{granted: sbuf_claim_i[ScalarRows].needs, hold: 1'b0};

  shared_port u_psum_port (
    .clk_i, .rst_ni, .stall_i(hold_port_i[1]),
    .req_i({psum_claim_i[ScalarRows].needs, psum_claim_i[VectorRows].needs}),
    .busy_i({psum_claim_i[ScalarRows].uses, psum_claim_i[VectorRows].uses}),
    .gnt_o({psum_grant_o[ScalarRows].granted, psum_grant_o[VectorRows].granted}),
    .hold_o({psum_grant_o[ScalarRows].hold, psum_grant_o[VectorRows].hold}),
    .changing_o(turn_changing[1])
  );

  assign changing_o = |turn_changing;

  // ------------------------------------------------------------------------------------------------------------------- beats
  lane_t     beat_rlane [WindowPorts], beat_wlane [WindowPorts];
  sbuf_row_t sbuf_beat_raddr [WindowPorts], sbuf_beat_waddr [WindowPorts];
  psum_row_t psum_beat_raddr [WindowPorts], psum_beat_waddr [WindowPorts];
  logic [WindowPorts-1:0] sbuf_beat_re, sbuf_beat_we, psum_beat_re, psum_beat_we;

  for (genvar p = 0; p < WindowPorts; p++) begin : g_beat
    assign sbuf_beat_re[p]    = sbuf_beat_re_i[p] & bus_fire_i;
    assign sbuf_beat_we[p]    = sbuf_beat_we_i[p] & bus_fire_i;
    assign psum_beat_re[p]    = psum_beat_re_i[p] & bus_fire_i;
    assign psum_beat_we[p]    = psum_beat_we_i[p] & bus_fire_i;
    assign beat_rlane[p]      = rd_target_i[p].lane;
    assign beat_wlane[p]      = wr_target_i[p].lane;
    assign sbuf_beat_raddr[p] = sbuf_row_t'(rd_target_i[p].row);
    assign sbuf_beat_waddr[p] = sbuf_row_t'(wr_target_i[p].row);
    assign psum_beat_raddr[p] = psum_row_t'(rd_target_i[p].row);
    assign psum_beat_waddr[p] = psum_row_t'(wr_target_i[p].row);
  end

  // -------------------------------------------------------------------------------------------------------------------- SBUF
  localparam int unsigned ReadPorts = Streams + LoadWords + RowEngines;
  localparam int unsigned RowPort   = Streams + LoadWords;  // the first of the elementwise engines'
  logic [ReadPorts-1:0]  sbuf_re;
  sbuf_row_t             sbuf_raddr [ReadPorts];
  row_t                  sbuf_rdata [ReadPorts];
  logic [RowEngines-1:0] sbuf_we;
  sbuf_row_t             sbuf_waddr [RowEngines];
  logic [3:0]            sbuf_be [RowEngines];
  logic                  sbuf_clk;

  for (genvar s = 0; s < Streams; s++) begin : g_moving
    assign sbuf_re[s]        = moving_re_i[s] & tensor_fire_i;
    assign sbuf_raddr[s]     = moving_raddr_i[s];
    assign moving_rdata_o[s] = sbuf_rdata[s];
  end
  for (genvar c = 0; c < LoadWords; c++) begin : g_stationary
    assign sbuf_re[Streams+c]    = stationary_re_i & tensor_fire_i;
    assign sbuf_raddr[Streams+c] = stationary_raddr_i[c];
    assign stationary_rdata_o[c] = sbuf_rdata[Streams+c];
  end
  for (genvar e = 0; e < RowEngines; e++) begin : g_row
    assign sbuf_re[RowPort+e]    = sbuf_req_i[e].re & fire_i[e];
    assign sbuf_raddr[RowPort+e] = sbuf_row_t'(sbuf_req_i[e].raddr);
    assign sbuf_rdata_o[e]       = sbuf_rdata[RowPort+e];
    assign sbuf_we[e]            = sbuf_req_i[e].we & fire_i[e];
    assign sbuf_waddr[e]         = sbuf_row_t'(sbuf_req_i[e].waddr);
    assign sbuf_be[e]            = sbuf_req_i[e].be;
  end

  clock_gate u_sbuf_gate (.clk_i, .en_i((|sbuf_re) | (|sbuf_we) | (|sbuf_beat_re) | (|sbuf_beat_we)), .clk_o(sbuf_clk));
  sbuf #(.ReadPorts(ReadPorts), .WritePorts(RowEngines), .BeatReads(WindowPorts), .BeatWrites(AxiPorts)) u_sbuf (
    .clk_i(sbuf_clk), .re_i(sbuf_re), .raddr_i(sbuf_raddr), .rdata_o(sbuf_rdata),
    .we_i(sbuf_we), .waddr_i(sbuf_waddr), .wdata_i, .be_i(sbuf_be), .wmask_i,
    .beat_re_i(sbuf_beat_re), .beat_raddr_i(sbuf_beat_raddr), .beat_rlane_i(beat_rlane), .beat_rdata_o(sbuf_beat_o),
    .beat_we_i(sbuf_beat_we[AxiPorts-1:0]), .beat_waddr_i(sbuf_beat_waddr[0:AxiPorts-1]), .beat_wlane_i(beat_wlane[0:AxiPorts-1]),
    .beat_wdata_i, .beat_strobe_i,
    .word_we_i(sbuf_beat_we[WordPort]), .word_waddr_i(sbuf_beat_waddr[WordPort] + sbuf_row_t'(word_i)),
    .word_wlane_i(beat_wlane[WordPort]), .word_wdata_i
  );

  // -------------------------------------------------------------------------------------------------------------------- PSUM
  logic [Streams-1:0]    psum_acc_we;
  logic [RowEngines-1:0] psum_re, psum_we;
  logic                  scalar_has_psum, psum_clk;

  assign psum_acc_we     = acc_we_i & {Streams{tensor_fire_i}};
  // An engine uses the port only while it has it.
  assign scalar_has_psum = psum_grant_o[ScalarRows].granted;
  for (genvar e = 0; e < RowEngines; e++) begin : g_psum_row
    assign psum_re[e] = psum_req_i[e].re & fire_i[e];
    assign psum_we[e] = psum_req_i[e].we & fire_i[e];
  end

  clock_gate u_psum_gate (
    .clk_i, .en_i((|psum_acc_we) | (|psum_re) | (|psum_we) | (|psum_beat_re) | (|psum_beat_we)), .clk_o(psum_clk)
  );
  psum #(.TensorPorts(Streams), .BeatReads(WindowPorts), .BeatWrites(AxiPorts)) u_psum (
    .clk_i(psum_clk), .acc_we_i(psum_acc_we), .acc_addr_i, .acc_add_i, .acc_data_i, .acc_mask_i,
    .re_i(|psum_re), .raddr_i(psum_row_t'(psum_req_i[scalar_has_psum].raddr)), .rdata_o(psum_rdata_o),
    .we_i(|psum_we), .waddr_i(psum_row_t'(psum_req_i[scalar_has_psum].waddr)), .wdata_i(wdata_i[scalar_has_psum]),
    .be_i(psum_req_i[scalar_has_psum].be), .wmask_i(wmask_i[scalar_has_psum]),
    .beat_re_i(psum_beat_re), .beat_raddr_i(psum_beat_raddr), .beat_rlane_i(beat_rlane), .beat_rdata_o(psum_beat_o),
    .beat_we_i(psum_beat_we[AxiPorts-1:0]), .beat_waddr_i(psum_beat_waddr[0:AxiPorts-1]), .beat_wlane_i(beat_wlane[0:AxiPorts-1]),
    .beat_wdata_i, .beat_strobe_i,
    .word_we_i(psum_beat_we[WordPort]), .word_waddr_i(psum_beat_waddr[WordPort] + psum_row_t'(word_i)),
    .word_wlane_i(beat_wlane[WordPort]), .word_wdata_i
  );

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneOnThePsumPort: assert (!((psum_re[VectorRows] || psum_we[VectorRows]) && (psum_re[ScalarRows] || psum_we[ScalarRows])));
    end
  end
  `endif

endmodule
