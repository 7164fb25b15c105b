// Gives a memory port that two engines share to one of them, an instruction at a time. If requests arrive
// together, the one that did not have the port last wins. An owner that has begun an instruction while the
// other waits is told to begin no further one. Vector and GpSimd share an SBUF port, Vector and Scalar a PSUM
// port.
//
// A requester waits for the instructions that the owner has under way, at most two; if the owner has begun
// none since it was given the port, for the next one.
module shared_port (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic stall_i,  // verification: no engine is given the port
  // Each engine asks for the port for its next instruction that can begin and for those under way. busy_i:
  // some are under way.
  input  logic [1:0] req_i,
  input  logic [1:0] busy_i,
  output logic [1:0] gnt_o,
  // The engine must begin nothing further that needs the port: the other engine's turn is next.
  output logic [1:0] hold_o,
  output logic       changing_o  // something changes with the next edge, or would without stall_i
);

  logic [1:0] owner_q, owner_d, hold_q, hold_d;
  logic       last_q;

  always_comb begin
    owner_d = owner_q & (busy_i | (req_i & ~hold_q));
    if (owner_d == 2'b00 && !stall_i) begin
      owner_d = (&req_i) ? (last_q ? 2'b01 : 2'b10) : req_i;
    end
    hold_d = owner_d & {req_i[0], req_i[1]} & (hold_q | busy_i);
  end

  // The clock of these registers runs only when one of them changes.
  logic state_clk;
  clock_gate u_state_gate (.clk_i, .en_i(changing_o), .clk_o(state_clk));

  always_ff @(posedge state_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      owner_q <= 2'b00;
      hold_q  <= 2'b00;
      last_q  <= 1'b1;
    end else begin
      owner_q <= owner_d;
      hold_q  <= hold_d;
      if (owner_d != 2'b00) last_q <= owner_d[1];
    end
  end

  assign gnt_o      = owner_q & req_i;
  assign hold_o     = hold_q;
  assign changing_o = (owner_d != owner_q) | (hold_d != hold_q) | (stall_i & (owner_d == 2'b00) & (req_i != 2'b00));

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneOwner: assert (gnt_o != 2'b11);
      BusyAsks: assert ((busy_i & ~req_i) == 2'b00);
      HeldIsOwner: assert ((hold_q & ~owner_q) == 2'b00);
    end
  end
  always_ff @(posedge state_clk or negedge rst_ni) begin
    if (rst_ni) begin
      KeptWhileBusy: assert ((owner_q & busy_i & ~owner_d) == 2'b00);
    end
  end
  `endif

endmodule
