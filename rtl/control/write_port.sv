// The write channels of the AXI manager port, one beat a write: the sources take turns, and a write has both channels to itself.
module write_port
  import control_pkg::*;
#(
  parameter int unsigned Sources = 2
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // Writes; a write is taken in a cycle in which it is ready as well.
  input  logic [Sources-1:0] valid_i,
  input  bus_write_t         write_i [Sources],
  output logic [Sources-1:0] ready_o,
  // AXI write channels.
  output logic               aw_valid_o,
  input  logic               aw_ready_i,
  output logic [2:0]         aw_id_o,
  output logic [2:0]         aw_size_o,
  output logic [63:0]        aw_addr_o,
  output logic               w_valid_o,
  input  logic               w_ready_i,
  output logic [127:0]       w_data_o,
  // High if something changes in the next cycle.
  output logic               active_o
);

  // Address and data leave independently; the next write moves in when both have left.
  logic free, load;
  logic [Sources-1:0] grant;
  assign free    = (!aw_valid_o | aw_ready_i) & (!w_valid_o | w_ready_i);
  assign load    = free & valid_i != '0;
  assign ready_o = free ? grant : '0;

  round_robin_arbiter #(
    .N(Sources)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .request_i(valid_i),
    .advance_i(load),
    .grant_o  (grant)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_valid_o <= 1'b0;
      w_valid_o  <= 1'b0;
      aw_id_o    <= '0;
      aw_size_o  <= '0;
      aw_addr_o  <= '0;
      w_data_o   <= '0;
    end else if (load) begin
      aw_valid_o <= 1'b1;
      w_valid_o  <= 1'b1;
      for (int unsigned s = 0; s < Sources; s++) begin
        if (grant[s]) begin
          aw_id_o   <= write_i[s].id;
          aw_size_o <= write_i[s].size;
          aw_addr_o <= write_i[s].address;
          w_data_o  <= write_i[s].data;
        end
      end
    end else begin
      if (aw_ready_i) aw_valid_o <= 1'b0;
      if (w_ready_i) w_valid_o <= 1'b0;
    end
  end

  assign active_o = load | (aw_valid_o & aw_ready_i) | (w_valid_o & w_ready_i);

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      BeatIsAligned: assert (!aw_valid_o || aw_addr_o % (64'd1 << aw_size_o) == '0 || aw_size_o == 3'd2);
      OutputsKnown: assert (!$isunknown({aw_valid_o, w_valid_o, aw_id_o, aw_size_o, aw_addr_o, w_data_o}));
    end
  end
  handshake_properties #(.Bits($bits({aw_addr_o, aw_id_o, aw_size_o}))) u_aw_properties (
    .clk_i, .rst_ni, .valid_i(aw_valid_o), .taken_i(aw_ready_i), .data_i({aw_addr_o, aw_id_o, aw_size_o})
  );
  handshake_properties #(.Bits($bits(w_data_o))) u_w_properties (
    .clk_i, .rst_ni, .valid_i(w_valid_o), .taken_i(w_ready_i), .data_i(w_data_o)
  );
  `endif

endmodule
