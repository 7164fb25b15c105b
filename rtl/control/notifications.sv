// The notification queue: begin and end of instructions, the first fault and numeric errors are written as
// records of 16 bytes with the time to a circular buffer in memory. docs/notifications.md says what a reader
// has to do.
//
// Events wait in one FIFO for each engine and one for the core; the FIFOs take turns at the buffer. Nothing
// waits for the queue: without room an event is dropped and counted.
module notifications
  import control_pkg::*;
  import isa_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [63:0]  timestamp_i,

  // Access to the registers: read data, and whether the access is refused, in the same cycle.
  input  logic         write_i,
  input  logic [31:0]  offset_i,
  input  logic [31:0]  wdata_i,
  output logic [31:0]  rdata_o,
  output logic         mapped_o,
  output logic         refused_o,

  // Events: instructions that begin and end, a fault, engines with their first NaN.
  input  logic [Engines-1:0] begin_i,
  input  origin_t            begin_origin_i [Engines],
  input  logic [Engines-1:0] end_i,
  input  origin_t            end_origin_i [Engines],
  input  logic               fault_i,
  /* verilator lint_off UNUSEDSIGNAL */  // a record has no address
  input  fault_t             fault_origin_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic               nan_i,
  input  engine_id_t         nan_engine_i,
  input  origin_t            nan_origin_i,

  // A record to write, and the responses to written ones.
  output logic         valid_o,
  output bus_write_t   write_o,
  input  logic         ready_i,
  input  logic         b_valid_i,
  input  logic [1:0]   b_resp_i,

  // High if an event was dropped and that has to stop the core.
  output logic         overflow_o,
  output fault_t       overflow_fault_o,
  // High if something changes in the next cycle.
  output logic         active_o
);

  localparam int unsigned Sources        = Engines + 1;  // the last source is the core
  localparam int unsigned RecordBytes    = 16;
  localparam int unsigned MaxOutstanding = 48;           // most writes without a response
  localparam int unsigned MaxSizeBits    = 24;

  // ------------------------------------------------------------------------------------------------------------- registers
  typedef struct packed {
    logic       stop;     // stop on overflow
    logic [3:0] kinds;    // one bit for each notification_e
    logic [4:0] engines;
  } setup_t;

  setup_t    control_q;
  logic [59:0] base_q;  // in units of records
  logic [31:0] size_q, written_q, read_q, dropped_q;
  logic [5:0]  outstanding_q;
  logic        overflow_q, failed_q;
  logic        on, still, waiting, clk;

  assign on    = control_q.kinds != '0;
  assign still = !on & !waiting & outstanding_q == '0;  // so that the buffer can be another one

  logic is_size, size_good;
  assign is_size   = offset_i == CsrCoreNotifySize;
  assign size_good = wdata_i != '0 & (wdata_i & (wdata_i - 1'b1)) == '0 & wdata_i <= 32'(1 << MaxSizeBits);

  always_comb begin
    rdata_o   = '0;
    mapped_o  = 1'b1;
    refused_o = 1'b0;
    case (offset_i)
      CsrCoreNotifyBaseLo: {refused_o, rdata_o} = {!still | wdata_i[3:0] != '0, base_q[27:0], 4'd0};
      CsrCoreNotifyBaseHi: {refused_o, rdata_o} = {!still, base_q[59:28]};
      CsrCoreNotifySize: {refused_o, rdata_o} = {!still | !size_good, size_q};
      CsrCoreNotifyControl: {refused_o, rdata_o} =
        {size_q == '0, 15'd0, control_q.stop, 4'd0, control_q.kinds, 3'd0, control_q.engines};
      CsrCoreNotifyWritten: {refused_o, rdata_o} = {1'b1, written_q};
      CsrCoreNotifyRead: rdata_o = read_q;
      CsrCoreNotifyDropped: {refused_o, rdata_o} = {1'b1, dropped_q};
      CsrCoreNotifyStatus: {refused_o, rdata_o} = {1'b1, 29'd0, !waiting & outstanding_q == '0, failed_q, overflow_q};
      default: mapped_o = 1'b0;
    endcase
  end

  logic write;
  assign write = write_i & mapped_o & !refused_o;

  // The clock stops while there is nothing to do.
  clock_gate u_gate (.clk_i, .en_i(write | !still), .clk_o(clk));

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      control_q <= '0;
      base_q    <= '0;
      size_q    <= '0;
      read_q    <= '0;
    end else if (write) begin
      if (offset_i == CsrCoreNotifyBaseLo) base_q[27:0] <= wdata_i[31:4];
      if (offset_i == CsrCoreNotifyBaseHi) base_q[59:28] <= wdata_i;
      if (is_size) size_q <= wdata_i;
      if (offset_i == CsrCoreNotifyControl) control_q <= '{stop: wdata_i[16], kinds: wdata_i[11:8], engines: wdata_i[4:0]};
      if (offset_i == CsrCoreNotifyRead) read_q <= wdata_i;
      else if (is_size) read_q <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------- events
  logic [Sources-1:0] held, grant, pop;
  logic [1:0] dropped [Sources];
  event_t     offered [Sources], event_in [Sources][2];

  for (genvar s = 0; s < Sources; s++) begin : g_fifo
    logic [1:0] push;
    if (s < Engines) begin : g_engine
      // An instruction that ends began earlier than one that begins.
      assign push = {begin_i[s] & control_q.kinds[NotificationBegin], end_i[s] & control_q.kinds[NotificationEnd]} &
                    {2{control_q.engines[s]}};
      assign event_in[s][0] = '{kind: NotificationEnd, lost: 1'b0, code: ErrorNone, engine: engine_id_t'(s), origin: end_origin_i[s], at: '0};
      assign event_in[s][1] = '{kind: NotificationBegin, lost: 1'b0, code: ErrorNone, engine: engine_id_t'(s),
                             origin: begin_origin_i[s], at: '0};
    end else begin : g_core
      assign push = {nan_i & control_q.kinds[NotificationNumeric], fault_i & control_q.kinds[NotificationError]};
      assign event_in[s][0] = '{kind: NotificationError, lost: 1'b0, code: fault_origin_i.code, engine: fault_origin_i.engine,
                             origin: '{pc: fault_origin_i.pc, opcode: fault_origin_i.opcode}, at: '0};
      assign event_in[s][1] = '{kind: NotificationNumeric, lost: 1'b0, code: ErrorNone, engine: nan_engine_i, origin: nan_origin_i, at: '0};
    end
    notification_fifo #(.Depth(s < Engines ? 16 : 8)) u_fifo (
      .clk_i(clk), .rst_ni, .timestamp_i, .clear_i(write & is_size), .push_i(push), .event_i(event_in[s]), .dropped_o(dropped[s]),
      .valid_o(held[s]), .event_o(offered[s]), .pop_i(pop[s])
    );
  end
  assign waiting = held != '0;

  // -------------------------------------------------------------------------------------------------------------- overflow
  logic [4:0] dropped_now;
  always_comb begin
    dropped_now      = '0;
    overflow_fault_o = '0;
    for (int unsigned s = Sources; s > 0; s--) begin
      dropped_now = dropped_now + 5'(dropped[s-1][0]) + 5'(dropped[s-1][1]);
      for (int unsigned k = 2; k > 0; k--) begin
        if (dropped[s-1][k-1]) begin
          overflow_fault_o = '{code: ErrorNotificationOverflow, engine: event_in[s-1][k-1].engine, pc: event_in[s-1][k-1].origin.pc,
                               address: '0, opcode: event_in[s-1][k-1].origin.opcode};
        end
      end
    end
  end
  assign overflow_o = control_q.stop & dropped_now != '0;

  // --------------------------------------------------------------------------------------------------------------- records
  logic   room, taken;
  event_t chosen;
  notification_record_t record;
  logic [31:0] index;  // index in the buffer
  assign index = written_q & (size_q - 1'b1);

  assign room    = written_q - read_q < size_q;
  assign valid_o = waiting & room & 32'(outstanding_q) < MaxOutstanding;
  assign taken   = valid_o & ready_i;
  assign pop     = taken ? grant : '0;

  round_robin_arbiter #(
    .N(Sources)
  ) u_arbiter (
    .clk_i    (clk),
    .rst_ni,
    .request_i(held),
    .advance_i(taken),
    .grant_o  (grant)
  );

  always_comb begin
    chosen = offered[0];
    for (int unsigned s = 0; s < Sources; s++) begin
      if (grant[s]) chosen = offered[s];
    end
  end

  // The phase tells the reader that a record is there: it starts at 1 and changes each time around the
  // buffer.
  always_comb begin
    record           = '0;
    record.opcode    = chosen.origin.opcode;
    record.engine    = chosen.engine;
    record.kind      = chosen.kind;
    record.phase     = (written_q & size_q) == '0;
    record.lost      = chosen.lost;
    record.code      = chosen.code;
    record.pc        = chosen.origin.pc;
    record.timestamp = chosen.at;
    write_o = '{id: NotificationId, size: 3'($clog2(RecordBytes)), address: {base_q + 60'(index), 4'd0},
                data: record};
  end

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q     <= '0;
      outstanding_q <= '0;
      dropped_q     <= '0;
      overflow_q    <= 1'b0;
      failed_q      <= 1'b0;
    end else if (write & is_size) begin
      written_q  <= '0;
      dropped_q  <= '0;
      overflow_q <= 1'b0;
      failed_q   <= 1'b0;
    end else begin
      written_q     <= written_q + 32'(taken);
      outstanding_q <= outstanding_q + 6'(taken) - 6'(b_valid_i);
      dropped_q     <= dropped_q + 32'(dropped_now);
      overflow_q    <= overflow_q | dropped_now != '0;
      failed_q      <= failed_q | (b_valid_i & b_resp_i != 2'b00);
    end
  end

  assign active_o = taken | b_valid_i;

  `ifndef SYNTHESIS
  // No event waits for more events than one of every other source, counted in writes.
  logic [3:0] passed_q [Sources];
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned s = 0; s < Sources; s++) passed_q[s] <= '0;
    end else begin
      for (int unsigned s = 0; s < Sources; s++) begin
        if (!held[s] || pop[s]) passed_q[s] <= '0;
        else if (taken)         passed_q[s] <= passed_q[s] + 1'b1;
      end
      for (int unsigned s = 0; s < Sources; s++) begin
        WaitsForTheOthersOnce: assert (32'(passed_q[s]) < Sources);
      end
      ResponseExpected: assert (!b_valid_i || outstanding_q != '0);
      NothingWhileOff: assert (size_q != '0 || held == '0);
      OutputsKnown: assert (!$isunknown({valid_o, active_o, overflow_o, mapped_o, refused_o}));
    end
  end
  `endif

endmodule
