// Properties of a handshake: valid data stays unchanged until it is taken.
//
// The previous cycle is kept in registers, because $past and $stable would be copied in every evaluation.
module handshake_properties #(
  parameter int unsigned Bits = 1  // width of the data; data_i is tied to 0 where there is none
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic            valid_i,
  input logic            taken_i,
  input logic [Bits-1:0] data_i
);

  logic            waiting_q;
  logic [Bits-1:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= 1'b0;
    end else begin
      waiting_q <= valid_i & ~taken_i;
      if (valid_i && !taken_i && !waiting_q) data_q <= data_i;
      OfferKept: assert (!waiting_q || valid_i);
      DataStable: assert (!(waiting_q && valid_i) || data_i == data_q);
    end
  end

endmodule
