// The 256 semaphores. Every engine and the core window update them, one update a cycle, in turn; each sequencer sees the
// semaphore it waits for at all times. An addition beyond 32 bits or a subtraction below 0 leaves the semaphore as it was.
module semaphores
  import control_pkg::*;
  import isa_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // Verification: no requester is served.
  input  logic                     hold_i,
  // Updates: one requester per engine and, last, the core window. overflow_o belongs to the requester that is
  // served.
  input  logic [Engines:0]         update_valid_i,
  input  update_t                  update_i[Engines+1],
  output logic [Engines:0]         update_ready_o,
  output logic                     overflow_o,
  // Values: one port per engine and, last, the core window.
  input  logic [Engines:0][7:0]    read_sem_i,
  output logic [Engines:0][31:0]   read_value_o
);

  localparam int unsigned Requesters = Engines + 1;

  logic advance;
  update_t update;

  logic [Engines:0] request;
  assign request = hold_i ? '0 : update_valid_i;
  assign advance = request != '0;

  round_robin_arbiter #(
    .N(Requesters)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .request_i(request),
    .advance_i(advance),
    .grant_o  (update_ready_o)
  );

  always_comb begin
    update = '0;
    for (int unsigned i = 0; i < Requesters; i++) begin
      if (update_ready_o[i]) update = update_i[i];
    end
  end

  logic [31:0] old_value, new_value;
  logic [32:0] sum, difference;
  logic write;

  assign sum        = {1'b0, old_value} + {1'b0, update.value};
  assign difference = {1'b0, old_value} - {1'b0, update.value};

  always_comb begin
    case (update.mode)
      UpdateModeAdd: {overflow_o, new_value} = sum;
      UpdateModeSub: {overflow_o, new_value} = difference;
      UpdateModeSet: {overflow_o, new_value} = {1'b0, update.value};
      default: {overflow_o, new_value} = {1'b0, old_value};
    endcase
  end

  assign write = advance & !overflow_o;

  zeroed_memory #(
    .Words    (Semaphores),
    .Width    (32),
    .ReadPorts(Requesters + 1)
  ) u_values (
    .clk_i,
    .rst_ni,
    .write_i      (write),
    .write_index_i(update.sem),
    .write_data_i (new_value),
    .read_index_i ({update.sem, read_sem_i}),
    .read_data_o  ({old_value, read_value_o})
  );

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      ReadyNeedsValid: assert ((update_ready_o & ~update_valid_i) == '0);
      UpdateHasMode: assert (advance -> (update.mode != UpdateModeNone));
      OutputsKnown: assert (!$isunknown({update_ready_o, read_value_o}));
    end
  end
  `endif

endmodule
