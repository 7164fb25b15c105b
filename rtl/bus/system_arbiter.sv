// Lets one AXI port at a time use the system port, in rotation. The answer belongs to the port served in the cycle before.
module system_arbiter #(
  parameter int unsigned Ports = 4,
  localparam int unsigned IndexBits = Ports > 1 ? $clog2(Ports) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic        hold_i,  // verification: no port is served
  input  logic [Ports-1:0] valid_i,
  output logic [Ports-1:0] ready_o,
  input  logic [Ports-1:0] we_i,
  input  logic [25:0] addr_i [Ports],
  input  logic [31:0] wdata_i [Ports],
  // The system port, and the number of the port that has the access
  output logic        sys_valid_o,
  input  logic        sys_ready_i,
  output logic        sys_we_o,
  output logic [25:0] sys_addr_o,
  output logic [31:0] sys_wdata_o,
  output logic [IndexBits-1:0] sys_port_o
);

  logic [IndexBits-1:0] turn_q, chosen;

  // Chooses the first requesting port from turn_q on.
  always_comb begin
    chosen = turn_q;
    for (int unsigned i = Ports; i > 0; i--) begin
      if (valid_i[(32'(turn_q) + i - 1) % Ports]) chosen = IndexBits'((32'(turn_q) + i - 1) % Ports);
    end
  end

  assign sys_valid_o = (|valid_i) & ~hold_i;
  assign sys_we_o    = we_i[chosen];
  assign sys_addr_o  = addr_i[chosen];
  assign sys_wdata_o = wdata_i[chosen];
  assign sys_port_o  = chosen;
  assign ready_o     = Ports'({sys_ready_i & sys_valid_o}) << chosen;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= '0;
    else if (sys_valid_o & sys_ready_i) turn_q <= IndexBits'((32'(chosen) + 1) % Ports);
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneReady: assert ($onehot0(ready_o));
    end
  end
  `endif

endmodule
