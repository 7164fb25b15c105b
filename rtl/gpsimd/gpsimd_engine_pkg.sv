// The engine's knowledge of the firmware that the GpSimd cores run: places in the mailbox (docs/firmware.md).
package gpsimd_engine_pkg;

  import gpsimd_pkg::*;

  localparam int unsigned Cores = core_pkg::GpsimdCores;
  typedef logic [Cores-1:0] cores_t;

  // Byte offset in the memory of a core, and word offsets from the start of the mailbox.
  localparam int unsigned MailboxOffset    = 32'h2000;
  localparam int unsigned MailboxMagic     = 0;
  localparam int unsigned MailboxRequest   = 1;
  localparam int unsigned MailboxCommand   = 2;
  localparam int unsigned MailboxCore      = 3;
  localparam int unsigned MailboxCores     = 4;
  localparam int unsigned MailboxCompleted = 5;
  localparam int unsigned MailboxStatus    = 6;
  localparam int unsigned MailboxPartitionBytes = 17;
  localparam int unsigned MailboxPartitions     = 18;
  localparam int unsigned MailboxArguments      = 64;
  localparam int unsigned ArgumentWords         = 192;

  localparam logic [31:0] Magic    = 32'h4d53_5047;  // start-up is done
  localparam logic [31:0] StatusOk = 32'd0;

  // Number of words in a beat.
  localparam int unsigned BeatWords = BeatBytes / 4;
  typedef logic [BeatWords-1:0] words_t;
  localparam tcm_beat_t MailboxBeat = tcm_beat_t'(MailboxOffset / BeatBytes);

  function automatic strobe_t strobe_of(words_t words);
    for (int unsigned w = 0; w < BeatWords; w++) strobe_of[4*w+:4] = {4{words[w]}};
  endfunction

  // Returns why an instruction cannot run.
  function automatic isa_pkg::error_e check(logic [511:0] bits);
    /* verilator lint_off UNUSEDSIGNAL */  // the other bits may be anything
    isa_pkg::core_arguments_t arguments;
    isa_pkg::core_start_t     start;
    /* verilator lint_on UNUSEDSIGNAL */
    arguments = bits;
    start     = bits;
    if (arguments.opcode == isa_pkg::OpGpsimdArguments) begin
      if (arguments.words == '0 || arguments.words > 4'd12) return isa_pkg::ErrorUnsupportedOperand;
      if (32'(arguments.first_word) + 32'(arguments.words) > ArgumentWords) return isa_pkg::ErrorUnsupportedOperand;
      return isa_pkg::ErrorNone;
    end
    // core_mask is at the same place in both other formats.
    if (start.core_mask == '0 || (16'(start.core_mask) >> Cores) != '0) return isa_pkg::ErrorUnsupportedOperand;
    if (start.opcode == isa_pkg::OpGpsimdStart) begin
      if (!in_tcm(start.boot)) return isa_pkg::ErrorAddressRange;
      if (start.boot[1:0] != '0) return isa_pkg::ErrorAddressAlign;
    end
    return isa_pkg::ErrorNone;
  endfunction

  // Returns the address of a core's mailbox in the core window.
  function automatic logic [31:0] mailbox_address(int unsigned core);
    return isa_pkg::WindowGpsimdTcmBase + core * isa_pkg::WindowGpsimdTcmStride + MailboxOffset;
  endfunction

endpackage
