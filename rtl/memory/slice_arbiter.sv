// Shares a port that every slice of the memories has. If several requesters want the same slice in a cycle,
// one is served and the others wait. One requester has the turn and goes first at every slice. The turn
// passes on in every cycle in which a requester waits, so that none waits longer than Requesters - 1 cycles.
module slice_arbiter #(
  parameter int unsigned Requesters = 2,
  parameter int unsigned SliceBits  = 1
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 hold_i,  // verification: no requester is served
  // A request stays until it is served.
  input  logic [Requesters-1:0]                req_i,
  input  logic [Requesters-1:0][SliceBits-1:0] slice_i,
  output logic [Requesters-1:0]                gnt_o
);

  localparam int unsigned TurnBits = Requesters > 1 ? $clog2(Requesters) : 1;
  logic [TurnBits-1:0] turn_q;

  // Goes through the requesters in the order of turns: one waits if an earlier one is served on the same
  // slice.
  logic [Requesters-1:0] taken;
  logic [TurnBits-1:0]   one, other;
  always_comb begin
    taken = hold_i ? '0 : req_i;
    one   = turn_q;
    other = turn_q;
    if ((taken & (taken - 1'b1)) != '0) begin  // more than one asks
      for (int unsigned i = 0; i < Requesters; i++) begin
        other = turn_q;
        for (int unsigned j = 0; j < Requesters; j++) begin
          if (j < i) begin
            if (taken[other] & slice_i[other] == slice_i[one]) taken[one] = 1'b0;
            other = 32'(other) == Requesters - 1 ? '0 : other + 1'b1;
          end
        end
        one = 32'(one) == Requesters - 1 ? '0 : one + 1'b1;
      end
    end
  end
  assign gnt_o = taken;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= '0;
    else if ((req_i & ~gnt_o) != '0 & ~hold_i) turn_q <= 32'(turn_q) == Requesters - 1 ? '0 : turn_q + 1'b1;
  end

  `ifndef SYNTHESIS
  // The cycles that each requester has waited while nothing was held back.
  localparam int unsigned WaitBits = $clog2(Requesters + 1);
  logic [Requesters-1:0][WaitBits-1:0] waited_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waited_q <= '0;
    end else if ((req_i & ~gnt_o) != '0 || waited_q != '0) begin
      for (int unsigned r = 0; r < Requesters; r++) begin
        if (~req_i[r] | gnt_o[r]) waited_q[r] <= '0;
        else if (~hold_i) waited_q[r] <= waited_q[r] + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni && req_i != '0) begin
      GrantIsRequested: assert ((gnt_o & ~req_i) == '0);
      for (int unsigned r = 0; r < Requesters; r++) begin
        BoundedWait: assert (32'(waited_q[r]) < Requesters);
        for (int unsigned o = 0; o < Requesters; o++) begin
          OneEachSlice: assert (r == o || !(gnt_o[r] && gnt_o[o] && slice_i[r] == slice_i[o]));
        end
      end
    end
  end
  `endif

endmodule
