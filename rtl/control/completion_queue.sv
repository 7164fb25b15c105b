// Instructions of one engine between hand-over and completion, in order. The engine's done pulses are
// counted, so that none is lost while the oldest instruction waits for its turn at the semaphores.
// Instructions that the sequencer has executed itself get no pulse: they are done once they are the oldest.
module completion_queue
  import control_pkg::*;
#(
  parameter int unsigned Depth = Outstanding
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // An instruction that was handed over, or that the sequencer has executed already.
  input  logic        push_i,
  input  logic        executed_i,
  input  completion_t entry_i,
  input  origin_t     origin_i,
  // Pulse: the oldest instruction in the engine that was not yet done is done.
  input  logic        done_i,
  // The oldest instruction, once it is done; pop_i completes it.
  output logic        valid_o,
  output completion_t entry_o,
  output origin_t     origin_o,
  input  logic        pop_i,
  // The origin of an instruction in the engine, by its number as the engine got them.
  input  logic [$clog2(Depth)-1:0] number_i,
  output origin_t     numbered_o,
  output logic        full_o,
  output logic        empty_o
);

  localparam int unsigned IndexWidth = $clog2(Depth);
  localparam int unsigned CountWidth = $clog2(Depth + 1);

  completion_t entries[Depth];
  origin_t origins[Depth], handed_over[Depth];
  logic [IndexWidth-1:0] handed_over_q;
  logic [Depth-1:0] executed_q;
  logic [IndexWidth-1:0] write_q, read_q;
  logic [CountWidth-1:0] held_q, done_q;
  logic pop_done;

  assign pop_done = pop_i & !executed_q[read_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      held_q  <= '0;
      done_q  <= '0;
      handed_over_q <= '0;
    end else begin
      if (push_i) write_q <= (32'(write_q) == Depth - 1) ? '0 : write_q + 1'b1;
      if (push_i & !executed_i) handed_over_q <= (32'(handed_over_q) == Depth - 1) ? '0 : handed_over_q + 1'b1;
      if (pop_i) read_q <= (32'(read_q) == Depth - 1) ? '0 : read_q + 1'b1;
      held_q <= held_q + CountWidth'(push_i) - CountWidth'(pop_i);
      done_q <= done_q + CountWidth'(done_i) - CountWidth'(pop_done);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) entries[write_q] <= entry_i;
    if (push_i) origins[write_q] <= origin_i;
    if (push_i) executed_q[write_q] <= executed_i;
    if (push_i & !executed_i) handed_over[handed_over_q] <= origin_i;
  end

  assign valid_o  = !empty_o & (executed_q[read_q] | (done_q != '0));
  assign entry_o  = entries[read_q];
  assign origin_o = origins[read_q];
  assign numbered_o = handed_over[number_i];
  assign full_o   = 32'(held_q) == Depth;
  assign empty_o  = held_q == '0;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      PushNeedsRoom: assert (push_i -> !full_o);
      PopNeedsDone: assert (pop_i -> valid_o);
      DoneNeedsInstruction: assert (done_i -> (done_q < held_q + CountWidth'(push_i)));
    end
  end
  `endif

endmodule
