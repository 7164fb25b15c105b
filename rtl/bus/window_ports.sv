// All accesses to the core window: the AXI ports of the bus, a port of the same kind for the sequencers' own
// accesses, which comes last, and the path of all of them to events, semaphores and registers.
module window_ports
  import core_pkg::*;
  import bus_pkg::*;
#(
  parameter int unsigned AxiPorts = 1,
  localparam int unsigned Ports = AxiPorts + 1,
  localparam int unsigned IndexBits = $clog2(Ports)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 hold_i,  // verification: no port reaches the registers

  // AXI4 subordinate ports
  input  logic [AxiPorts-1:0]    s_aw_valid_i,
  output logic [AxiPorts-1:0]    s_aw_ready_o,
  input  logic [25:0]            s_aw_addr_i [AxiPorts],
  input  logic [AxiPorts-1:0]    s_w_valid_i, s_w_last_i,
  output logic [AxiPorts-1:0]    s_w_ready_o,
  input  beat_t [AxiPorts-1:0]   s_w_data_i,
  input  strobe_t [AxiPorts-1:0] s_w_strobe_i,
  output logic [AxiPorts-1:0]    s_b_valid_o,
  input  logic [AxiPorts-1:0]    s_b_ready_i,
  output logic [1:0]             s_b_resp_o [AxiPorts],
  input  logic [AxiPorts-1:0]    s_ar_valid_i,
  output logic [AxiPorts-1:0]    s_ar_ready_o,
  input  logic [25:0]            s_ar_addr_i [AxiPorts],
  input  logic [7:0]             s_ar_len_i [AxiPorts],
  output logic [AxiPorts-1:0]    s_r_valid_o, s_r_last_o,
  input  logic [AxiPorts-1:0]    s_r_ready_i,
  output logic [1:0]             s_r_resp_o [AxiPorts],
  output beat_t [AxiPorts-1:0]   s_r_data_o,

  // Accesses of the sequencers, one word each
  input  logic [25:0]          own_addr_i,
  input  logic                 own_aw_valid_i,
  output logic                 own_aw_ready_o,
  input  logic                 own_w_valid_i,
  output logic                 own_w_ready_o,
  input  logic [31:0]          own_w_data_i,
  output logic                 own_b_valid_o,
  output logic [1:0]           own_b_resp_o,
  input  logic                 own_ar_valid_i,
  output logic                 own_ar_ready_o,
  output logic                 own_r_valid_o,
  output logic [1:0]           own_r_resp_o,
  output logic [31:0]          own_r_data_o,

  // Memories: beats of each port
  output logic [Ports-1:0]     rd_req_o,
  input  logic [Ports-1:0]     rd_gnt_i,
  output target_t              rd_target_o [Ports],
  input  beat_t [Ports-1:0]    sbuf_beat_i,
  input  beat_t [Ports-1:0]    psum_beat_i,
  input  beat_t [Ports-1:0]    tcm_beat_i,
  output logic [Ports-1:0]     wr_req_o,
  input  logic [Ports-1:0]     wr_gnt_i,
  output target_t              wr_target_o [Ports],
  output beat_t [Ports-1:0]    wr_data_o,
  output strobe_t [Ports-1:0]  wr_strobe_o,

  // Events, semaphores, registers: one word, and the port that accesses it
  output logic                 sys_valid_o,
  input  logic                 sys_ready_i,
  output logic                 sys_we_o,
  output logic [25:0]          sys_addr_o,
  output logic [31:0]          sys_wdata_o,
  output logic [IndexBits-1:0] sys_port_o,
  output logic                 sys_own_o,
  input  logic [31:0]          sys_rdata_i,
  input  logic                 sys_error_i,

  output logic                 busy_o
);

  localparam int unsigned Own = AxiPorts;

  logic [Ports-1:0] sys_valid, sys_ready, sys_we, busy;
  logic [25:0]      sys_addr [Ports];
  logic [31:0]      sys_wdata [Ports];

  for (genvar p = 0; p < AxiPorts; p++) begin : g_port
    axi_port u_port (
      .clk_i, .rst_ni,
      .aw_valid_i(s_aw_valid_i[p]), .aw_ready_o(s_aw_ready_o[p]), .aw_addr_i(s_aw_addr_i[p]),
      .w_valid_i(s_w_valid_i[p]), .w_ready_o(s_w_ready_o[p]), .w_last_i(s_w_last_i[p]),
      .w_data_i(s_w_data_i[p]), .w_strobe_i(s_w_strobe_i[p]),
      .b_valid_o(s_b_valid_o[p]), .b_ready_i(s_b_ready_i[p]), .b_resp_o(s_b_resp_o[p]),
      .ar_valid_i(s_ar_valid_i[p]), .ar_ready_o(s_ar_ready_o[p]), .ar_addr_i(s_ar_addr_i[p]), .ar_len_i(s_ar_len_i[p]),
      .r_valid_o(s_r_valid_o[p]), .r_ready_i(s_r_ready_i[p]), .r_last_o(s_r_last_o[p]),
      .r_resp_o(s_r_resp_o[p]), .r_data_o(s_r_data_o[p]),
      .wr_req_o(wr_req_o[p]), .wr_target_o(wr_target_o[p]), .wr_data_o(wr_data_o[p]), .wr_strobe_o(wr_strobe_o[p]),
      .wr_gnt_i(wr_gnt_i[p]), .rd_req_o(rd_req_o[p]), .rd_target_o(rd_target_o[p]), .rd_gnt_i(rd_gnt_i[p]),
      .sbuf_rdata_i(sbuf_beat_i[p]), .psum_rdata_i(psum_beat_i[p]), .tcm_rdata_i(tcm_beat_i[p]),
      .sys_valid_o(sys_valid[p]), .sys_ready_i(sys_ready[p]), .sys_we_o(sys_we[p]), .sys_addr_o(sys_addr[p]),
      .sys_wdata_o(sys_wdata[p]), .sys_rdata_i, .sys_error_i, .busy_o(busy[p])
    );
  end

  logic  unused_own_r_last;
  beat_t own_rdata;
  logic [$clog2(BeatWords)-1:0] own_word;
  assign own_word     = own_addr_i[2+:$clog2(BeatWords)];
  assign own_r_data_o = own_rdata[own_word];

  axi_port u_own_port (
    .clk_i, .rst_ni,
    .aw_valid_i(own_aw_valid_i), .aw_ready_o(own_aw_ready_o), .aw_addr_i(own_addr_i),
    .w_valid_i(own_w_valid_i), .w_ready_o(own_w_ready_o), .w_last_i(1'b1), .w_data_i({BeatWords{own_w_data_i}}),
    .w_strobe_i(strobe_t'(4'hf) << {own_word, 2'b00}),
    .b_valid_o(own_b_valid_o), .b_ready_i(1'b1), .b_resp_o(own_b_resp_o),
    .ar_valid_i(own_ar_valid_i), .ar_ready_o(own_ar_ready_o), .ar_addr_i(own_addr_i), .ar_len_i(8'd0),
    .r_valid_o(own_r_valid_o), .r_ready_i(1'b1), .r_last_o(unused_own_r_last), .r_resp_o(own_r_resp_o), .r_data_o(own_rdata),
    .wr_req_o(wr_req_o[Own]), .wr_target_o(wr_target_o[Own]), .wr_data_o(wr_data_o[Own]), .wr_strobe_o(wr_strobe_o[Own]),
    .wr_gnt_i(wr_gnt_i[Own]), .rd_req_o(rd_req_o[Own]), .rd_target_o(rd_target_o[Own]), .rd_gnt_i(rd_gnt_i[Own]),
    .sbuf_rdata_i(sbuf_beat_i[Own]), .psum_rdata_i(psum_beat_i[Own]), .tcm_rdata_i(tcm_beat_i[Own]),
    .sys_valid_o(sys_valid[Own]), .sys_ready_i(sys_ready[Own]), .sys_we_o(sys_we[Own]), .sys_addr_o(sys_addr[Own]),
    .sys_wdata_o(sys_wdata[Own]), .sys_rdata_i, .sys_error_i, .busy_o(busy[Own])
  );

  system_arbiter #(.Ports(Ports)) u_arbiter (
    .clk_i, .rst_ni, .hold_i, .valid_i(sys_valid), .ready_o(sys_ready), .we_i(sys_we), .addr_i(sys_addr), .wdata_i(sys_wdata),
    .sys_valid_o, .sys_ready_i, .sys_we_o, .sys_addr_o, .sys_wdata_o, .sys_port_o
  );

  assign sys_own_o = 32'(sys_port_o) == Own;
  assign busy_o    = |busy;

endmodule
