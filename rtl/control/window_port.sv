// Executes register_load and register_store: accesses of one 32-bit word to the core's own window, one instruction at a time,
// engines in turn, as an AXI manager of single beats.
module window_port
  import control_pkg::*;
  import isa_pkg::*;
(
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Per engine: the instruction to execute and the word to store, held until done_o. done_o comes with the
  // loaded word, and error_o if the window answered with an error.
  input  logic [Engines-1:0]         valid_i,
  input  instruction_t [Engines-1:0] instr_i,
  input  logic [Engines-1:0][31:0]   store_data_i,
  output logic [Engines-1:0]         done_o,
  output logic [31:0]                load_data_o,
  output logic                       error_o,
  // AXI: both address channels use this address.
  output logic [25:0]                addr_o,
  output logic                       aw_valid_o,
  input  logic                       aw_ready_i,
  output logic                       w_valid_o,
  input  logic                       w_ready_i,
  output logic [31:0]                w_data_o,
  input  logic                       b_valid_i,
  input  logic [1:0]                 b_resp_i,
  output logic                       ar_valid_o,
  input  logic                       ar_ready_i,
  input  logic                       r_valid_i,
  input  logic [1:0]                 r_resp_i,
  input  logic [31:0]                r_data_i,
  // The engine that has an access under way.
  output engine_id_t                 owner_o,
  // High if an access is under way or begins.
  output logic                       active_o
);

  logic [Engines-1:0] owner_q, grant;
  logic busy_q, accept, answered;

  assign accept   = !busy_q & (valid_i != '0);
  assign answered = b_valid_i | r_valid_i;

  round_robin_arbiter #(
    .N(Engines)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .request_i(valid_i),
    .advance_i(accept),
    .grant_o  (grant)
  );

  /* verilator lint_off UNUSEDSIGNAL */
  register_memory_t chosen;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] chosen_data;
  always_comb begin
    chosen      = '0;
    chosen_data = '0;
    for (int unsigned e = 0; e < Engines; e++) begin
      if (grant[e]) begin
        chosen      = register_memory_t'(instr_i[e]);
        chosen_data = store_data_i[e];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q     <= 1'b0;
      owner_q    <= '0;
      addr_o     <= '0;
      w_data_o   <= '0;
      aw_valid_o <= 1'b0;
      w_valid_o  <= 1'b0;
      ar_valid_o <= 1'b0;
    end else if (accept) begin
      busy_q     <= 1'b1;
      owner_q    <= grant;
      addr_o     <= chosen.address[25:0];
      w_data_o   <= chosen_data;
      aw_valid_o <= chosen.opcode == OpRegisterStore;
      w_valid_o  <= chosen.opcode == OpRegisterStore;
      ar_valid_o <= chosen.opcode == OpRegisterLoad;
    end else begin
      if (answered) busy_q <= 1'b0;
      if (aw_ready_i) aw_valid_o <= 1'b0;
      if (w_ready_i) w_valid_o <= 1'b0;
      if (ar_ready_i) ar_valid_o <= 1'b0;
    end
  end

  always_comb begin
    owner_o = '0;
    for (int unsigned e = 0; e < Engines; e++) begin
      if (owner_q[e]) owner_o = engine_id_t'(e);
    end
  end

  assign done_o      = answered ? owner_q : '0;
  assign load_data_o = r_data_i;
  assign error_o     = b_valid_i ? b_resp_i != 2'b00 : r_resp_i != 2'b00;
  assign active_o    = busy_q | accept;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      AnswerExpected: assert (answered -> busy_q);
      RequestHeld: assert (busy_q -> ((owner_q & ~valid_i) == '0));
      OutputsKnown: assert (!$isunknown({aw_valid_o, w_valid_o, ar_valid_o, addr_o, w_data_o}));
    end
  end
  handshake_properties #(.Bits($bits(addr_o))) u_aw_properties (
    .clk_i, .rst_ni, .valid_i(aw_valid_o), .taken_i(aw_ready_i), .data_i(addr_o)
  );
  handshake_properties #(.Bits($bits(w_data_o))) u_w_properties (
    .clk_i, .rst_ni, .valid_i(w_valid_o), .taken_i(w_ready_i), .data_i(w_data_o)
  );
  handshake_properties #(.Bits($bits(addr_o))) u_ar_properties (
    .clk_i, .rst_ni, .valid_i(ar_valid_o), .taken_i(ar_ready_i), .data_i(addr_o)
  );
  `endif

endmodule
