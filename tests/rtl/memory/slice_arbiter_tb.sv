// An arbiter for five requesters of eight slices.
module slice_arbiter_tb (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            hold_i,
  input  logic [4:0]      req_i,
  input  logic [4:0][2:0] slice_i,
  output logic [4:0]      gnt_o
);

  slice_arbiter #(.Requesters(5), .SliceBits(3)) u_arbiter (.clk_i, .rst_ni, .hold_i, .req_i, .slice_i, .gnt_o);

endmodule
