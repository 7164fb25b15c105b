// The path from the bus to the memories of three cores: two ports, and the engine's own accesses. The
// engine's clock has edges while the accesses need them.
module gpsimd_access_tb
  import bus_pkg::*;
  import core_pkg::*;
  import gpsimd_engine_pkg::cores_t;
  import gpsimd_pkg::tcm_beat_t;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bus_tick_i,
  input  logic tick_i,
  input  logic hold_i,
  output logic fire_o,      // the engine has an edge
  output logic pending_o,
  output logic bus_edge_o,  // the block that waits for the engine has an edge

  input  logic [1:0]       rd_req_i,
  output logic [1:0]       rd_gnt_o,
  input  logic [1:0][25:0] rd_addr_i,
  output beat_t [1:0]      rdata_o,
  input  logic [1:0]       wr_req_i,
  output logic [1:0]       wr_gnt_o,
  input  logic [1:0][25:0] wr_addr_i,
  input  beat_t [1:0]      wr_data_i,
  input  strobe_t [1:0]    wr_strobe_i,

  input  logic                own_active_i,
  input  cores_t              own_req_i,
  input  logic                own_write_i,
  input  tcm_beat_t           own_beat_i,
  input  gpsimd_pkg::beat_t   own_wdata_i,
  input  gpsimd_pkg::strobe_t own_strobe_i,
  output cores_t              own_gnt_o,
  output cores_t              own_rvalid_o,

  output cores_t                    window_req_o,
  output cores_t                    window_write_o,
  output tcm_beat_t [2:0]           window_beat_o,
  output gpsimd_pkg::beat_t [2:0]   window_wdata_o,
  output gpsimd_pkg::strobe_t [2:0] window_strobe_o,
  input  cores_t                    window_gnt_i,
  input  cores_t                    window_rvalid_i,
  input  gpsimd_pkg::beat_t [2:0]   window_rdata_i
);

  localparam int unsigned Ports = 2;

  logic bus_clk, clk;
  assign fire_o     = tick_i & (pending_o | own_active_i);
  assign bus_edge_o = u_window.clk;
  clock_gate u_bus_gate (.clk_i, .en_i(bus_tick_i), .clk_o(bus_clk));
  clock_gate u_gate (.clk_i, .en_i(fire_o), .clk_o(clk));

  target_t rd_target [Ports], wr_target [Ports];
  for (genvar p = 0; p < Ports; p++) begin : g_port
    assign rd_target[p] = decode_target(rd_addr_i[p]);
    assign wr_target[p] = decode_target(wr_addr_i[p]);
  end

  logic    request, write, done;
  target_t target;
  beat_t   wdata, rdata;
  strobe_t strobe;

  gpsimd_window #(.Ports(Ports)) u_window (
    .clk_i(bus_clk), .rst_ni, .hold_i, .rd_req_i, .rd_gnt_o, .rd_target_i(rd_target), .rdata_o, .wr_req_i, .wr_gnt_o,
    .wr_target_i(wr_target), .wr_data_i, .wr_strobe_i, .request_o(request), .write_o(write), .target_o(target), .wdata_o(wdata),
    .strobe_o(strobe), .done_i(done), .rdata_i(rdata)
  );

  gpsimd_access u_access (
    .clk_i(clk), .rst_ni, .request_i(request), .write_i(write), .target_i(target), .wdata_i(wdata), .strobe_i(strobe), .done_o(done),
    .rdata_o(rdata), .pending_o, .own_active_i, .own_req_i, .own_write_i, .own_beat_i, .own_wdata_i, .own_strobe_i, .own_gnt_o,
    .own_rvalid_o, .window_req_o, .window_write_o, .window_beat_o, .window_wdata_o, .window_strobe_o, .window_gnt_i,
    .window_rvalid_i, .window_rdata_i
  );

endmodule
