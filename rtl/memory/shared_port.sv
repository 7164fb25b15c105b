// Gives a memory port that two engines share to one of them for the duration of its instruction: of requests that arrive
// together the one that did not have the port last wins. Vector and GpSimd share an SBUF port, Vector and Scalar a PSUM port.
module shared_port (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic       hold_i,     // verification: nobody is given the port
  // An engine keeps its request up for as long as it needs the port
  input  logic [1:0] req_i,
  output logic [1:0] gnt_o,
  output logic       changing_o  // with the next edge the port changes hands, or would but for hold_i
);

  logic [1:0] owner_q, owner_d;
  logic       last_q;

  always_comb begin
    owner_d = owner_q & req_i;
    if (owner_d == 2'b00 && !hold_i) begin
      owner_d = (&req_i) ? (last_q ? 2'b01 : 2'b10) : req_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owner_q <= 2'b00;
      last_q  <= 1'b1;
    end else begin
      owner_q <= owner_d;
      if (owner_d != 2'b00) last_q <= owner_d[1];
    end
  end

  assign gnt_o      = owner_q & req_i;
  assign changing_o = owner_d != owner_q || (hold_i && owner_d == 2'b00 && req_i != 2'b00);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneOwner: assert (gnt_o != 2'b11);
    end
  end
  GrantKept: assert property (@(posedge clk_i) disable iff (!rst_ni) (gnt_o[0] && req_i[0]) |=> (gnt_o[0] || !req_i[0]));

endmodule
