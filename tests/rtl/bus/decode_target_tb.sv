// Decodes an address of the bus.
module decode_target_tb
  import bus_pkg::*;
(
  input  logic [25:0] addr_i,
  output logic [2:0]  region_o,
  output logic [7:0]  lane_o,
  output logic [15:0] row_o
);

  target_t target;
  assign target   = decode_target(addr_i);
  assign region_o = 3'(target.region);
  assign lane_o   = 8'(target.lane);
  assign row_o    = 16'(target.row);

endmodule
