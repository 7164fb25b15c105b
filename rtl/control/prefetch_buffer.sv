// Fetches the instructions of one engine ahead of the sequencer: requests bursts while there is room for all
// their beats, and keeps the beats in order. A burst never crosses a 4 KiB boundary. After a flush or a
// redirection it continues at once; the beats of earlier requests that are still to come are counted and
// dropped.
module prefetch_buffer
  import cfg_pkg::*;
  import control_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  // A pulse on start_i starts fetching at base_i (in 64-byte units). A pulse on flush_i ends it and drops
  // everything that is buffered or on its way. One on redirect_i drops the same and continues target_i
  // instructions after the base.
  input  logic         start_i,
  input  logic [57:0]  base_i,
  input  logic         flush_i,
  input  logic         redirect_i,
  input  logic [31:0]  target_i,
  // Bursts: address in 64-byte units, number of beats - 1.
  output logic         burst_valid_o,
  output logic [57:0]  burst_addr_o,
  output logic [2:0]   burst_len_o,
  input  logic         burst_ready_i,
  // Beats in the order of the bursts; they are always taken.
  input  logic         beat_valid_i,
  input  instruction_t beat_data_i,
  input  logic         beat_error_i,
  // Sequencer: pop_i moves the oldest instruction to instr_o, which then keeps its value until the next pop.
  output logic         available_o,
  input  logic         pop_i,
  output instruction_t instr_o,
  output logic         instr_error_o
);

  if (FetchBurst > 8 || FetchBurst > Prefetch) begin : gen_parameters
    $error("FetchBurst must be at most 8 and at most Prefetch");
  end

  localparam int unsigned IndexWidth = (Prefetch > 1) ? $clog2(Prefetch) : 1;
  localparam int unsigned CountWidth = $clog2(Prefetch + 1);

  instruction_t memory[Prefetch];
  logic errors[Prefetch];
  logic [IndexWidth-1:0] write_q, read_q;
  logic [CountWidth-1:0] filled_d, filled_q, in_flight_d, in_flight_q, drop_d, drop_q;
  logic [57:0] base_q, addr_q;
  logic running_q, discard, drop;

  // Beats of the next burst: a full one, or the rest of the 4 KiB page.
  logic [6:0] page_beats;
  logic [3:0] burst_beats;
  logic burst_taken, store;

  assign page_beats    = 7'd64 - {1'b0, addr_q[5:0]};
  assign burst_beats   = (page_beats < 7'(FetchBurst)) ? page_beats[3:0] : 4'(FetchBurst);
  assign burst_valid_o = running_q & (32'(filled_q) + 32'(in_flight_q) + 32'(burst_beats) <= Prefetch);
  assign burst_addr_o  = addr_q;
  assign burst_len_o   = 3'(burst_beats - 4'd1);
  assign burst_taken   = burst_valid_o & burst_ready_i;
  assign drop          = beat_valid_i & (drop_q != '0);
  assign store         = beat_valid_i & (drop_q == '0);
  assign discard       = flush_i | redirect_i;

  always_comb begin
    in_flight_d = in_flight_q - CountWidth'(beat_valid_i);
    if (burst_taken) in_flight_d = in_flight_d + CountWidth'(burst_beats);
    filled_d = discard ? '0 : filled_q + CountWidth'(store) - CountWidth'(pop_i);
    drop_d   = discard ? in_flight_d : drop_q - CountWidth'(drop);
  end

  function automatic logic [IndexWidth-1:0] next(logic [IndexWidth-1:0] index);
    return (32'(index) == Prefetch - 1) ? '0 : index + 1'b1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q   <= 1'b0;
      drop_q      <= '0;
      in_flight_q <= '0;
      filled_q    <= '0;
      write_q     <= '0;
      read_q      <= '0;
      base_q      <= '0;
      addr_q      <= '0;
    end else begin
      in_flight_q <= in_flight_d;
      filled_q    <= filled_d;
      drop_q      <= drop_d;
      if (start_i) running_q <= 1'b1;
      else if (flush_i) running_q <= 1'b0;
      if (start_i) base_q <= base_i;
      if (start_i) addr_q <= base_i;
      else if (redirect_i) addr_q <= base_q + 58'(target_i);
      else if (burst_taken) addr_q <= addr_q + 58'(burst_beats);
      if (discard) write_q <= '0;
      else if (store) write_q <= next(write_q);
      if (discard) read_q <= '0;
      else if (pop_i) read_q <= next(read_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (store) begin
      memory[write_q] <= beat_data_i;
      errors[write_q] <= beat_error_i;
    end
    if (pop_i) begin
      instr_o       <= memory[read_q];
      instr_error_o <= errors[read_q];
    end
  end

  assign available_o = filled_q != '0;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      PopNeedsInstruction: assert (pop_i -> available_o);
      BeatWasAskedFor: assert (beat_valid_i -> (in_flight_q != '0));
      RoomForBeat: assert (store -> (32'(filled_q) < Prefetch));
      StartWhenStopped: assert (start_i -> !running_q & !flush_i);
      DropsWhatWasAskedFor: assert (drop_q <= in_flight_q);
      RedirectWhenRunning: assert (redirect_i -> running_q & !flush_i & !pop_i);
      BurstKnown: assert (!$isunknown({burst_valid_o, available_o}));
    end
  end
  handshake_properties u_burst_properties (
    .clk_i, .rst_ni, .valid_i(burst_valid_o), .taken_i(burst_ready_i | discard), .data_i(1'b0)
  );
  `endif

endmodule
