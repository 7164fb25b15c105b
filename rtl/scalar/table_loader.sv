// Loads a set of activation tables from system memory into the Scalar engine: reads table_beats beats over a
// read-only AXI4 manager port and hands them on, one a cycle. It runs on the bus clock; the Scalar engine
// holds its request until it sees done_o, and done_o stays until the request is gone, so that each side may
// run on its own clock.
module table_loader
  import scalar_table_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  // Request of the engine and its answer: all beats have been written, or one of them was not a beat of
  // tables.
  input  logic         request_i,
  input  logic [63:0]  address_i,  // address of the first beat
  input  logic [15:0]  beats_i,
  output logic         done_o,
  output logic         error_o,
  // AXI read channels: INCR bursts within 4 KiB, answered in order
  output logic         ar_valid_o,
  input  logic         ar_ready_i,
  output logic [2:0]   ar_len_o,
  output logic [63:0]  ar_addr_o,
  input  logic         r_valid_i,
  output logic         r_ready_o,
  input  logic [1:0]   r_resp_i,
  input  table_beat_t  r_data_i,
  // Write port of the tables
  output logic         table_we_o,
  output table_beat_t  table_beat_o,
  // High if something changes in the next cycle
  output logic         active_o
);

  localparam int unsigned BeatBits = $clog2(TableBeatBytes);
  localparam int unsigned PageBeatBits = 12 - BeatBits;  // log2 of the beats in 4 KiB
  localparam int unsigned BurstBeats = 1 << PageBeatBits;

  typedef enum logic [1:0] {StIdle, StLoad, StDone} state_e;

  state_e      state_q;
  logic [15:0] ask_q;    // beats that have not been requested
  logic [15:0] await_q;  // beats that have not come
  logic        error_q;
  logic        start, ask, valid_beat;

  // Beats of the next burst, up to the end of its 4 KiB.
  logic [63:0]           next_addr_q;
  logic [PageBeatBits:0] page_left, burst;
  assign page_left = (PageBeatBits+1)'(BurstBeats) - {1'b0, next_addr_q[BeatBits+:PageBeatBits]};
  assign burst     = ask_q < 16'(page_left) ? (PageBeatBits+1)'(ask_q) : page_left;

  assign start      = (state_q == StIdle) & request_i;
  assign ask        = (state_q == StLoad) & (ask_q != '0) & (~ar_valid_o | ar_ready_i);
  assign valid_beat = (r_resp_i == 2'b00) & is_table_beat(r_data_i.header);
  assign r_ready_o  = 1'b1;
  assign done_o     = state_q == StDone;
  assign error_o    = error_q;
  assign active_o   = start | ask | (ar_valid_o & ar_ready_i) | r_valid_i | table_we_o
                    | ((state_q == StLoad) & (await_q == '0)) | (done_o & ~request_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StIdle;
      ask_q       <= '0;
      await_q     <= '0;
      error_q     <= 1'b0;
      next_addr_q <= '0;
      ar_valid_o  <= 1'b0;
      ar_len_o    <= '0;
      ar_addr_o   <= '0;
      table_we_o  <= 1'b0;
    end else begin
      case (state_q)
        StIdle: begin
          error_q     <= 1'b0;
          ask_q       <= beats_i;
          await_q     <= beats_i;
          next_addr_q <= address_i;
          if (start) state_q <= StLoad;
        end
        StLoad: begin
          if (ask) begin
            ask_q       <= ask_q - 16'(burst);
            next_addr_q <= next_addr_q + (64'(burst) << BeatBits);
            ar_len_o    <= 3'(burst - 1'b1);
            ar_addr_o   <= next_addr_q;
          end
          if (r_valid_i) begin
            await_q <= await_q - 16'd1;
            error_q <= error_q | ~valid_beat;
          end
          if (await_q == '0) state_q <= StDone;
        end
        default: if (!request_i) state_q <= StIdle;
      endcase
      ar_valid_o <= ask | (ar_valid_o & ~ar_ready_i);
      table_we_o <= r_valid_i & valid_beat;
    end
  end

  always_ff @(posedge clk_i) begin
    if (r_valid_i) table_beat_o <= r_data_i;
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      BeatWasAskedFor: assert (r_valid_i -> (state_q == StLoad) & (await_q > ask_q));
      WholeBeats: assert (start -> (address_i[BeatBits-1:0] == '0) & (beats_i != '0));
      RequestIsHeld: assert ((state_q == StLoad) -> request_i);
      BurstInPage: assert (ask -> (burst != '0) & (burst <= page_left));
      StatusKnown: assert (!$isunknown({ar_valid_o, done_o, error_o, table_we_o}));
    end
  end
  `endif

endmodule
