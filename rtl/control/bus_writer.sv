// Executes write and dma_trigger instructions: 32-bit writes on the AXI manager port, one instruction at a time, engines in
// turn. A dma_trigger writes to address + engine * stride for every engine of its mask, back to back.
module bus_writer
  import control_pkg::*;
  import isa_pkg::*;
(
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Per engine: the instruction to execute, held until done_o; error_o says that a response was not OKAY.
  input  logic [Engines-1:0]         valid_i,
  input  instruction_t [Engines-1:0] instr_i,
  output logic [Engines-1:0]         done_o,
  output logic                       error_o,
  // AXI write channels.
  output logic                       aw_valid_o,
  input  logic                       aw_ready_i,
  output engine_id_t                 aw_id_o,
  output logic [63:0]                aw_addr_o,
  output logic                       w_valid_o,
  input  logic                       w_ready_i,
  output logic [31:0]                w_data_o,
  input  logic                       b_valid_i,
  output logic                       b_ready_o,
  input  engine_id_t                 b_id_i,
  input  logic [1:0]                 b_resp_i,
  // Something changes in the next cycle.
  output logic                       active_o
);

  localparam int unsigned Targets = 16;

  logic busy_q, error_q;
  logic [Engines-1:0] owner_q;
  engine_id_t engine_q;
  logic [63:0] base_q;
  logic [31:0] stride_q;
  logic [Targets-1:0] mask_q;
  logic [4:0] responses_q;

  logic accept, load, last;
  logic [Engines-1:0] grant;
  engine_id_t grant_index;

  assign accept = !busy_q & (valid_i != '0);

  round_robin_arbiter #(
    .N(Engines)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .request_i(valid_i),
    .advance_i(accept),
    .grant_o  (grant),
    .index_o  (grant_index)
  );

  // The lowest target left.
  logic [3:0] target;
  always_comb begin
    target = '0;
    for (int unsigned i = Targets; i > 0; i--) begin
      if (mask_q[i-1]) target = 4'(i - 1);
    end
  end

  // Address and data leave independently; the next write moves in when both have left.
  assign load   = busy_q & (mask_q != '0) & (!aw_valid_o | aw_ready_i) & (!w_valid_o | w_ready_i);
  assign last   = busy_q & (mask_q == '0) & !aw_valid_o & !w_valid_o & (responses_q == '0);
  assign done_o = last ? owner_q : '0;

  // The two formats have the address in the same place.
  /* verilator lint_off UNUSEDSIGNAL */
  dma_trigger_t trigger;
  write_t write;
  /* verilator lint_on UNUSEDSIGNAL */
  always_comb begin
    trigger = '0;
    write   = '0;
    if (accept) begin
      trigger = dma_trigger_t'(instr_i[grant_index]);
      write   = write_t'(instr_i[grant_index]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      error_q     <= 1'b0;
      owner_q     <= '0;
      engine_q    <= '0;
      base_q      <= '0;
      stride_q    <= '0;
      mask_q      <= '0;
      responses_q <= '0;
      aw_valid_o  <= 1'b0;
      aw_addr_o   <= '0;
      w_valid_o   <= 1'b0;
      w_data_o    <= '0;
    end else begin
      if (accept) begin
        busy_q   <= 1'b1;
        owner_q  <= grant;
        error_q  <= 1'b0;
        engine_q <= grant_index;
        base_q   <= trigger.address;
        stride_q <= trigger.engine_stride;
        mask_q   <= (trigger.opcode == OpDmaTrigger) ? trigger.engine_mask : Targets'(1);
        w_data_o <= (trigger.opcode == OpDmaTrigger) ? {trigger.s2m_count, trigger.m2s_count} : write.data;
      end else if (last) begin
        busy_q <= 1'b0;
      end
      if (b_valid_i & (b_resp_i != 2'b00)) error_q <= 1'b1;
      responses_q <= responses_q + 5'(load) - 5'(b_valid_i);
      if (load) begin
        aw_valid_o <= 1'b1;
        w_valid_o  <= 1'b1;
        aw_addr_o  <= base_q + 64'(stride_q) * 64'(target);
        mask_q     <= mask_q & (mask_q - 1'b1);
      end else begin
        if (aw_ready_i) aw_valid_o <= 1'b0;
        if (w_ready_i) w_valid_o <= 1'b0;
      end
    end
  end

  assign error_o   = error_q;
  assign aw_id_o   = engine_q;
  assign b_ready_o = 1'b1;
  assign active_o  = accept | load | last | (aw_valid_o & aw_ready_i) | (w_valid_o & w_ready_i) | b_valid_i;

  AwStable: assert property (@(posedge clk_i) disable iff (!rst_ni)
    $past(aw_valid_o & !aw_ready_i) |-> (aw_valid_o & $stable(aw_addr_o) & $stable(aw_id_o)));
  WStable: assert property (@(posedge clk_i) disable iff (!rst_ni)
    $past(w_valid_o & !w_ready_i) |-> (w_valid_o & $stable(w_data_o)));
  ResponseExpected: assert property (@(posedge clk_i) disable iff (!rst_ni)
    b_valid_i |-> (busy_q & (responses_q != '0) & (b_id_i == engine_q)));
  RequestHeld: assert property (@(posedge clk_i) disable iff (!rst_ni) busy_q |-> valid_i[engine_q]);
  OutputsKnown: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !$isunknown({aw_valid_o, w_valid_o, aw_id_o, aw_addr_o, w_data_o}));

endmodule
