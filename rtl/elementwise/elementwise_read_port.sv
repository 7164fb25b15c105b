// Shares a memory's read port between the two sources, which take turns, and the immediates, which wait for
// both. A far read takes the port for two cycles; its row is there after the first.
module elementwise_read_port (
  input  logic clk_i,
  input  logic rst_ni,

  // The memory's grant to the engine.
  input  logic gnt_i,

  // Requests in this cycle, and the one that is served: sources a and b, immediate.
  input  logic [1:0] source_re_i,
  input  logic [1:0] source_far_i,
  output logic [1:0] source_gnt_o,
  input  logic       imm_re_i,
  output logic       imm_gnt_o,

  output logic re_o
);

  logic b_next_d, b_next_q, busy_q, free;

  assign free            = gnt_i & ~busy_q;
  assign source_gnt_o[0] = free & source_re_i[0] & ~(source_re_i[1] & b_next_q);
  assign source_gnt_o[1] = free & source_re_i[1] & ~(source_re_i[0] & ~b_next_q);
  assign imm_gnt_o       = free & imm_re_i & (source_re_i == '0);
  assign re_o            = free & (imm_re_i | (source_re_i != '0));
  assign b_next_d        = source_gnt_o[0] ? 1'b1 : source_gnt_o[1] ? 1'b0 : b_next_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_next_q <= 1'b0;
      busy_q   <= 1'b0;
    end else begin
      b_next_q <= b_next_d;
      if (gnt_i) busy_q <= (source_gnt_o & source_far_i) != '0;
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneAtATime: assert ($onehot0({imm_gnt_o, source_gnt_o}));
      ReadHasUser: assert (re_o == ({imm_gnt_o, source_gnt_o} != '0));
    end
  end
  `endif

endmodule
