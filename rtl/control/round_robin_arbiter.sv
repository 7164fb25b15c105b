// Round-robin arbiter: grants the requester after the last one served. The grant moves on when advance_i takes it.
module round_robin_arbiter #(
  parameter int unsigned N = 4
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [N-1:0] request_i,
  input  logic         advance_i,
  output logic [N-1:0] grant_o
);

  // Requesters up to and including the last one served, which come after the others.
  logic [N-1:0] served_q;
  logic [N-1:0] eligible;

  assign eligible = ((request_i & ~served_q) != '0) ? (request_i & ~served_q) : request_i;
  assign grant_o  = eligible & (~eligible + 1'b1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) served_q <= '0;
    else if (advance_i) served_q <= grant_o | (grant_o - 1'b1);
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      GrantIsRequested: assert ((grant_o & ~request_i) == '0);
      GrantIsOneHot: assert ($onehot0(grant_o));
      AdvanceNeedsRequest: assert (advance_i -> (request_i != '0));
    end
  end
  `endif

endmodule
