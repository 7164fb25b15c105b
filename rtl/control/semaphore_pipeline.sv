// The pipeline from the sequencer to the semaphores for the update of an event_semaphore: one register a
// stage; an update moves on in every cycle. Instructions that an engine executes do not take this path; see
// docs/timing.md.
module semaphore_pipeline
  import control_pkg::*;
#(
  parameter int unsigned Stages = 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  input  completion_t entry_i,
  // High for one cycle, Stages cycles later.
  output logic        valid_o,
  output completion_t entry_o,
  // High if an update is on its way.
  output logic        active_o
);

  logic [Stages-1:0]        valid_q;
  completion_t [Stages-1:0] entry_q;

  assign valid_o  = valid_q[Stages-1];
  assign entry_o  = entry_q[Stages-1];
  assign active_o = valid_i | (valid_q != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= Stages'({valid_q, valid_i});
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) entry_q[0] <= entry_i;
    for (int unsigned k = 1; k < Stages; k++) begin
      if (valid_q[k-1]) entry_q[k] <= entry_q[k-1];
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneAtATime: assert ($onehot0({valid_q, valid_i}));
      EntryKnown: assert (valid_o -> !$isunknown(entry_o));
    end
  end
  `endif

endmodule
