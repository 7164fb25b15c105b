// Instruction fetch of all engines: each has a prefetch buffer; read bursts share the AR and R channels with
// the engine as ID, engines in turn.
module fetch_unit
  import control_pkg::*;
  import isa_pkg::Engines;
(
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // Per engine: start at a base address (in 64-byte units), end, continue at another instruction.
  input  logic [Engines-1:0]           start_i,
  input  logic [Engines-1:0][57:0]     base_i,
  input  logic [Engines-1:0]           flush_i,
  input  logic [Engines-1:0]           redirect_i,
  input  logic [Engines-1:0][31:0]     target_i,
  // Per engine: the next instruction.
  output logic [Engines-1:0]           available_o,
  input  logic [Engines-1:0]           pop_i,
  output instruction_t [Engines-1:0]   instr_o,
  output logic [Engines-1:0]           instr_error_o,
  // AXI read address and read data channels.
  output logic                         ar_valid_o,
  input  logic                         ar_ready_i,
  output engine_id_t                   ar_id_o,
  output logic [2:0]                   ar_len_o,
  output logic [63:0]                  ar_addr_o,
  input  logic                         r_valid_i,
  output logic                         r_ready_o,
  input  engine_id_t                   r_id_i,
  input  logic [1:0]                   r_resp_i,
  input  logic                         r_last_i,
  input  instruction_t                 r_data_i,
  // High if something changes in the next cycle.
  output logic                         active_o
);

  logic [Engines-1:0] burst_valid, burst_ready, beat_valid;
  logic [Engines-1:0][57:0] burst_addr;
  logic [Engines-1:0][2:0] burst_len;

  for (genvar e = 0; e < Engines; e++) begin : gen_engine
    assign beat_valid[e] = r_valid_i & (r_id_i == engine_id_t'(e));

    prefetch_buffer u_prefetch_buffer (
      .clk_i,
      .rst_ni,
      .start_i      (start_i[e]),
      .base_i       (base_i[e]),
      .flush_i      (flush_i[e]),
      .redirect_i   (redirect_i[e]),
      .target_i     (target_i[e]),
      .burst_valid_o(burst_valid[e]),
      .burst_addr_o (burst_addr[e]),
      .burst_len_o  (burst_len[e]),
      .burst_ready_i(burst_ready[e]),
      .beat_valid_i (beat_valid[e]),
      .beat_data_i  (r_data_i),
      .beat_error_i (r_resp_i != 2'b00),
      .available_o  (available_o[e]),
      .pop_i        (pop_i[e]),
      .instr_o      (instr_o[e]),
      .instr_error_o(instr_error_o[e])
    );
  end

  // The address channel holds one burst; the next one moves in when it leaves.
  logic [Engines-1:0] grant;
  logic load;

  assign load        = (burst_valid != '0) & (!ar_valid_o | ar_ready_i);
  assign burst_ready = load ? grant : '0;

  round_robin_arbiter #(
    .N(Engines)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .request_i(burst_valid),
    .advance_i(load),
    .grant_o  (grant)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_valid_o <= 1'b0;
      ar_id_o    <= '0;
      ar_len_o   <= '0;
      ar_addr_o  <= '0;
    end else if (load) begin
      ar_valid_o <= 1'b1;
      for (int unsigned e = 0; e < Engines; e++) begin
        if (grant[e]) begin
          ar_id_o   <= engine_id_t'(e);
          ar_len_o  <= burst_len[e];
          ar_addr_o <= {burst_addr[e], 6'd0};
        end
      end
    end else if (ar_ready_i) begin
      ar_valid_o <= 1'b0;
    end
  end

  // A burst is requested only when there is room for all its beats.
  assign r_ready_o = 1'b1;
  assign active_o  = load | (ar_valid_o & ar_ready_i) | r_valid_i;

  // Bursts of one engine come back in order, so only the number of beats matters; the last marker is for the
  // wave.
  logic unused_last;
  assign unused_last = r_last_i;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      ArKnown: assert (!$isunknown({ar_valid_o, ar_id_o, ar_len_o}));
      ArInPage: assert (ar_valid_o -> (7'(ar_addr_o[11:6]) + 7'(ar_len_o) < 7'd64));
      BeatHasEngine: assert (r_valid_i -> (32'(r_id_i) < Engines));
    end
  end
  handshake_properties #(.Bits($bits({ar_addr_o, ar_id_o, ar_len_o}))) u_ar_properties (
    .clk_i, .rst_ni, .valid_i(ar_valid_o), .taken_i(ar_ready_i), .data_i({ar_addr_o, ar_id_o, ar_len_o})
  );
  `endif

endmodule
