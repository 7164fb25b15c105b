// The part of the core window above the memories: events, semaphore aliases and registers, 32 bits an access,
// answered in the next cycle. The 256 events are words: 0 is clear, anything else is set. Setting an event
// that is set, or clearing one that is clear, is an error and changes nothing.
module system_port
  import control_pkg::*;
  import isa_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  // Access at a byte offset in the core window.
  input  logic        valid_i,
  output logic        ready_o,
  input  logic        we_i,
  input  logic [25:0] addr_i,
  input  logic [31:0] wdata_i,
  // The answer, in the cycle after the access was accepted. An error is an unmapped or misaligned address, a
  // write to a read-only place, or an event that is set or cleared twice.
  output logic [31:0] rdata_o,
  output logic        error_o,
  // An event is set or cleared twice; in the cycle in which the access is accepted.
  output error_e      event_error_o,
  // Semaphores: the read port follows the address; an update holds the access until it is served.
  output logic [7:0]  sem_o,
  input  logic [31:0] sem_value_i,
  output logic        sem_update_valid_o,
  output update_t     sem_update_o,
  input  logic        sem_update_ready_i,
  // Registers.
  output logic        csr_write_o,
  output logic [11:0] csr_offset_o,
  output logic [31:0] csr_wdata_o,
  input  logic [31:0] csr_rdata_i,
  input  logic        csr_error_i
);

  localparam int unsigned SemBytes = Semaphores * 4;

  // Decodes the address. The four semaphore aliases follow each other.
  logic aligned, is_event, is_sem, is_csr, event_write;
  logic [31:0] addr;
  logic [1:0] sem_alias;
  logic [31:0] event_value;

  assign addr      = 32'(addr_i);
  assign aligned   = addr_i[1:0] == 2'b00;
  assign is_event  = aligned & (addr >= WindowEventBase) & (addr < WindowEventBase + Events * 4);
  assign is_sem    = aligned & (addr >= WindowSemRead) & (addr < WindowSemDec + SemBytes);
  assign is_csr    = aligned & (addr >= WindowCsrBase) & (addr < WindowCsrBase + 32'h1000);
  assign sem_alias = addr_i[11:10];

  assign sem_o              = addr_i[9:2];
  assign sem_update_valid_o = valid_i & we_i & is_sem & (sem_alias != 2'd0);
  always_comb begin
    sem_update_o = '{mode: UpdateModeSet, sem: sem_o, value: wdata_i};
    if (sem_alias == 2'd2) sem_update_o.mode = UpdateModeAdd;
    if (sem_alias == 2'd3) sem_update_o.mode = UpdateModeSub;
  end
  assign ready_o = !sem_update_valid_o | sem_update_ready_i;

  assign csr_write_o  = valid_i & we_i & is_csr;
  assign csr_offset_o = addr_i[11:0];
  assign csr_wdata_o  = wdata_i;

  logic event_access;
  assign event_access = valid_i & we_i & is_event;
  assign event_write  = event_access & (event_error_o == ErrorNone);

  always_comb begin
    event_error_o = ErrorNone;
    if (event_access & (wdata_i != '0) & (event_value != '0)) event_error_o = ErrorEventSetTwice;
    if (event_access & (wdata_i == '0) & (event_value == '0)) event_error_o = ErrorEventClearTwice;
  end

  zeroed_memory #(
    .Words(Events),
    .Width(32)
  ) u_events (
    .clk_i,
    .rst_ni,
    .write_i      (event_write),
    .write_index_i(addr_i[9:2]),
    .write_data_i (wdata_i),
    .read_index_i (addr_i[9:2]),
    .read_data_o  (event_value)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rdata_o <= '0;
      error_o <= 1'b0;
    end else if (valid_i & ready_o) begin
      rdata_o <= '0;
      error_o <= 1'b1;
      if (is_event) begin
        rdata_o <= event_value;
        error_o <= event_error_o != ErrorNone;
      end else if (is_sem) begin
        rdata_o <= sem_value_i;
        error_o <= we_i & (sem_alias == 2'd0);
      end else if (is_csr) begin
        rdata_o <= csr_rdata_i;
        error_o <= csr_error_i;
      end
    end
  end

  if (WindowSemSet != WindowSemRead + SemBytes || WindowSemInc != WindowSemRead + 2 * SemBytes ||
      WindowSemDec != WindowSemRead + 3 * SemBytes || WindowSemRead % 4096 != 0) begin : gen_layout
    $error("the semaphore aliases must follow each other in a 4 KiB page");
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      EventErrorTaken: assert ((event_error_o != ErrorNone) -> ready_o);
      OnlyUpdatesWait: assert (ready_o | sem_update_valid_o);
      OutputsKnown: assert (!$isunknown({ready_o, rdata_o, error_o}));
    end
  end
  `endif

endmodule
