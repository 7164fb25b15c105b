// Executes write and dma_trigger instructions: 32-bit writes through write_port, one instruction at a time,
// engines in turn. A dma_trigger writes to address + engine * stride for every engine of its mask, back to
// back.
module bus_writer
  import control_pkg::*;
  import isa_pkg::*;
(
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Per engine: the instruction to execute, held until done_o; error_o means that a response was not OKAY.
  input  logic [Engines-1:0]         valid_i,
  input  instruction_t [Engines-1:0] instr_i,
  output logic [Engines-1:0]         done_o,
  output logic                       error_o,
  // Writes, and the responses to them.
  output logic                       write_valid_o,
  output bus_write_t                 write_o,
  input  logic                       write_ready_i,
  input  logic                       b_valid_i,
  input  engine_id_t                 b_id_i,
  input  logic [1:0]                 b_resp_i,
  // High if something changes in the next cycle.
  output logic                       active_o
);

  localparam int unsigned Targets = 16;

  // One write to address + i * stride for every bit i of the mask.
  typedef struct packed {
    logic [63:0]        address;
    logic [31:0]        stride;
    logic [Targets-1:0] mask;
    logic [31:0]        data;
  } request_t;

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic request_t decode(instruction_t bits);
    dma_trigger_t trigger;
    write_t write;
    trigger = dma_trigger_t'(bits);
    write   = write_t'(bits);
    if (trigger.opcode == OpDmaTrigger) begin
      return '{address: trigger.address, stride: trigger.engine_stride, mask: trigger.engine_mask,
               data: {trigger.s2m_count, trigger.m2s_count}};
    end
    return '{address: write.address, stride: '0, mask: Targets'(1), data: write.data};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // The instruction under way; the mask keeps the writes that have not been put on the channels.
  request_t request_q;
  logic busy_q, error_q;
  logic [Engines-1:0] owner_q;
  engine_id_t engine_q;
  logic [4:0] responses_q;

  logic accept, load, last;
  logic [Engines-1:0] grant;

  assign accept = !busy_q & (valid_i != '0);

  round_robin_arbiter #(
    .N(Engines)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .request_i(valid_i),
    .advance_i(accept),
    .grant_o  (grant)
  );

  // The lowest target that is left.
  logic [3:0] target;
  always_comb begin
    target = '0;
    for (int unsigned i = Targets; i > 0; i--) begin
      if (request_q.mask[i-1]) target = 4'(i - 1);
    end
  end

  assign write_valid_o = busy_q & (request_q.mask != '0);
  assign write_o = '{id: engine_q, size: 3'd2, address: request_q.address + 64'(request_q.stride) * 64'(target),
                     data: {4{request_q.data}}};
  assign load    = write_valid_o & write_ready_i;
  assign last    = busy_q & (request_q.mask == '0) & (responses_q == '0);
  assign done_o = last ? owner_q : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      error_q     <= 1'b0;
      owner_q     <= '0;
      engine_q    <= '0;
      request_q   <= '0;
      responses_q <= '0;
    end else begin
      if (accept) begin
        busy_q  <= 1'b1;
        error_q <= 1'b0;
        owner_q <= grant;
        for (int unsigned e = 0; e < Engines; e++) begin
          if (grant[e]) begin
            engine_q  <= engine_id_t'(e);
            request_q <= decode(instr_i[e]);
          end
        end
      end else if (last) begin
        busy_q <= 1'b0;
      end
      if (b_valid_i & (b_resp_i != 2'b00)) error_q <= 1'b1;
      responses_q <= responses_q + 5'(load) - 5'(b_valid_i);
      if (load) request_q.mask <= request_q.mask & (request_q.mask - 1'b1);
    end
  end

  assign error_o   = error_q;
  assign active_o  = accept | load | last | b_valid_i;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      ResponseExpected: assert (b_valid_i -> (busy_q & (responses_q != '0) & (b_id_i == engine_q)));
      RequestHeld: assert (busy_q -> valid_i[engine_q]);
      OutputsKnown: assert (!$isunknown({write_valid_o, write_o}));
    end
  end
  `endif

endmodule
