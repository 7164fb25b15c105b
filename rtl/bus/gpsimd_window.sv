// Passes beats of the bus to the memories of the GpSimd cores. They are done one at a time on the engine's
// clock: a beat waits here while request_o differs from done_i.
module gpsimd_window
  import bus_pkg::*;
  import core_pkg::*;
#(
  parameter int unsigned Ports = 1
) (
  input  logic clk_i,  // bus clock
  input  logic rst_ni,
  input  logic hold_i,  // verification: no further beat is taken

  // Requests of the ports; those for these memories are served. Data stays until the port reads again
  input  logic [Ports-1:0]    rd_req_i,
  output logic [Ports-1:0]    rd_gnt_o,
  input  target_t             rd_target_i [Ports],
  output beat_t [Ports-1:0]   rdata_o,
  input  logic [Ports-1:0]    wr_req_i,
  output logic [Ports-1:0]    wr_gnt_o,
  input  target_t             wr_target_i [Ports],
  input  beat_t [Ports-1:0]   wr_data_i,
  input  strobe_t [Ports-1:0] wr_strobe_i,

  // Engine
  output logic    request_o,
  output logic    write_o,
  output target_t target_o,
  output beat_t   wdata_o,
  output strobe_t strobe_o,
  input  logic    done_i,
  input  beat_t   rdata_i
);

  // Bits of the writes, then of the reads.
  logic [2*Ports-1:0] wanted, chosen, owner_q, granted;
  for (genvar p = 0; p < Ports; p++) begin : g_wanted
    assign wanted[p]       = wr_req_i[p] & wr_target_i[p].region == RegionTcm;
    assign wanted[Ports+p] = rd_req_i[p] & rd_target_i[p].region == RegionTcm;
  end

  // The clock stops while there is nothing to do.
  logic clk, busy_q, take, answered;
  clock_gate u_gate (.clk_i, .en_i(wanted != '0 | busy_q), .clk_o(clk));

  assign take     = wanted != '0 & ~busy_q & ~hold_i;
  assign answered = busy_q & request_o == done_i;
  assign granted  = answered ? owner_q : '0;
  assign wr_gnt_o = granted[Ports-1:0];
  assign rd_gnt_o = granted[2*Ports-1:Ports];

  round_robin_arbiter #(.N(2 * Ports)) u_turn (.clk_i(clk), .rst_ni, .request_i(wanted), .advance_i(take), .grant_o(chosen));

  beat_t   rdata_q [Ports];
  beat_t   wdata_q [1];
  for (genvar p = 0; p < Ports; p++) begin : g_rdata
    assign rdata_o[p] = rdata_q[p];
  end
  assign wdata_o = wdata_q[0];

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q    <= 1'b0;
      owner_q   <= '0;
      request_o <= 1'b0;
      write_o   <= 1'b0;
      target_o  <= '0;
      strobe_o  <= '0;
    end else begin
      if (answered) busy_q <= 1'b0;
      if (take) begin
        busy_q    <= 1'b1;
        owner_q   <= chosen;
        request_o <= ~request_o;
        write_o   <= chosen[Ports-1:0] != '0;
        for (int unsigned p = 0; p < Ports; p++) begin
          if (chosen[p]) begin
            target_o <= wr_target_i[p];
            strobe_o <= wr_strobe_i[p];
          end
          if (chosen[Ports+p]) target_o <= rd_target_i[p];
        end
      end
    end
  end
  always_ff @(posedge clk) begin
    for (int unsigned p = 0; p < Ports; p++) begin
      if (take & chosen[p]) wdata_q[0] <= wr_data_i[p];
      if (rd_gnt_o[p]) rdata_q[p] <= rdata_i;
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk or negedge rst_ni) begin
    if (rst_ni) begin
      AnswerExpected: assert (busy_q || request_o == done_i);
      OwnerWaits: assert ((granted & ~wanted) == '0);
      RequestKnown: assert (!$isunknown({wanted, busy_q}));
    end
  end
  `endif

endmodule
