// Wave scope of one AXI subordinate port: beats that were taken or fetched, and their addresses in the core
// window. Signals that depend on the outside are kept in registers, so that they read correctly at any
// moment: pulses come in the core cycle after the edge of the bus clock that took the beat, and addresses
// stay until the next one.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
/* verilator tracing_off */
`define PORT u_core_control.u_ports.g_port[Port].u_port
module port_probe #(
  parameter int unsigned Port = 0
) (
);

  logic write_q, read_q;
  /* verilator tracing_on */
  logic        write, read;
  logic [25:0] write_address, read_address;
  logic [1:0]  write_response, read_response;  // 0 OKAY, 2 SLVERR

  assign write = write_q & neuron_core.bus_clk;
  assign read  = read_q & neuron_core.bus_clk;

  always_ff @(posedge neuron_core.bus_clk or negedge neuron_core.rst_ni) begin
    if (!neuron_core.rst_ni) begin
      write_q       <= 1'b0;
      read_q        <= 1'b0;
      write_address <= '0;
      read_address  <= '0;
    end else begin
      write_q <= `PORT.w_taken;
      read_q  <= `PORT.rd_advance | `PORT.sys_rd_ready;
      if (`PORT.w_taken) write_address <= `PORT.wr_addr_q;
      if (`PORT.rd_advance | `PORT.sys_rd_ready) read_address <= `PORT.rd_addr_q;
    end
  end

  assign write_response = neuron_core.s_b_resp_o[Port];
  assign read_response  = neuron_core.s_r_resp_o[Port];

endmodule
`undef PORT
