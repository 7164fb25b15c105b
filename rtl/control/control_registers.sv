// Control and status registers: program addresses and start of the engines, their state, stochastic rounding, and the first
// fault of the core, which stops all sequencers until reset.
module control_registers
  import control_pkg::*;
  import core_pkg::counter_e, core_pkg::CounterMatmul, core_pkg::CounterFastLoad, core_pkg::CounterNormalLoad;
  import isa_pkg::*;
(
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // Access: offset in the register space; read data and error in the same cycle.
  input  logic                      write_i,
  input  logic [11:0]               offset_i,
  input  logic [31:0]               wdata_i,
  output logic [31:0]               rdata_o,
  output logic                      error_o,
  // Engines: start pulses and programs.
  output logic [Engines-1:0]        start_o,
  output program_t [Engines-1:0]    program_o,
  input  seq_state_e [Engines-1:0]  state_i,
  input  logic [Engines-1:0][31:0]  pc_i,
  input  logic [Engines-1:0][31:0]  completed_i,
  // High if nothing runs in any sequencer or engine.
  input  logic                      quiet_i,
  // Faults of the engines and of the core window; fault_o stays high from the first one on.
  input  logic [Engines-1:0]        fault_valid_i,
  input  fault_t                    fault_i[Engines],
  input  logic                      system_valid_i,
  input  fault_t                    system_fault_i,
  input  logic                      memory_fault_valid_i,
  input  fault_t                    memory_fault_i,
  input  logic                      notify_overflow_i,
  input  fault_t                    notify_fault_i,
  output logic                      fault_o,
  output fault_t                    first_fault_o,
  output logic                      fault_new_o,  // high in the cycle after the first fault
  // Registers of the notification queue, see notifications
  output logic [31:0]               notify_offset_o,
  input  logic [31:0]               notify_rdata_i,
  input  logic                      notify_mapped_i,
  input  logic                      notify_refused_i,
  // Numeric errors: engines that write a NaN for the first time, the place of the first of them, and all
  // engines that have written one so far.
  input  logic [Engines-1:0]        nan_new_i,
  input  engine_id_t                nan_engine_i,
  input  origin_t                   nan_origin_i,
  output logic [Engines-1:0]        nan_o,
  // Counters of the engines: the one to read; a pulse of counters_clear_o clears all.
  output counter_e                  counter_o,
  input  logic [63:0]               counter_i,
  output logic                      counters_clear_o,
  // Memories: counts (memory_pkg::count_e), upsets
  input  logic [memory_pkg::Counts-1:0][31:0] memory_counts_i,
  output logic                      upset_o,
  output logic [25:0]               upset_address_o,
  output logic [5:0]                upset_first_bit_o,
  output logic [5:0]                upset_second_bit_o,
  input  logic                      upset_ready_i,
  // GpSimd cores
  input  logic [core_pkg::GpsimdCores-1:0][31:0]    gpsimd_pc_i,
  input  gpsimd_state_e [core_pkg::GpsimdCores-1:0] gpsimd_state_i,
  // Stochastic rounding; a pulse of seed_valid_o loads the seed.
  output logic                      sr_enable_o,
  output logic                      sr_seed_valid_o,
  output logic [31:0]               sr_seed_o
);

  localparam int unsigned EngineSpace = Engines * CsrEngineStride;

  logic [Engines-1:0] started_q;
  fault_t fault_q;

  // The first numeric error. The simulation wrapper reads it as well.
  logic [Engines-1:0] nan_q /* verilator public_flat_rd */;
  engine_id_t         nan_engine_q /* verilator public_flat_rd */;
  origin_t            nan_origin_q /* verilator public_flat_rd */;

  assign nan_o = nan_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      nan_q        <= '0;
      nan_engine_q <= '0;
      nan_origin_q <= '0;
    end else if (nan_new_i != '0) begin
      nan_q <= nan_q | nan_new_i;
      if (nan_q == '0) begin
        nan_engine_q <= nan_engine_i;
        nan_origin_q <= nan_origin_i;
      end
    end
  end

  // Decode.
  logic in_engine, read_only;
  engine_id_t engine;
  logic [31:0] engine_offset, offset;

  assign offset        = 32'(offset_i);
  assign in_engine     = offset < EngineSpace;
  assign engine        = in_engine ? engine_id_t'(offset / CsrEngineStride) : '0;
  assign engine_offset = offset % CsrEngineStride;

  logic [Engines-1:0] halted;
  for (genvar e = 0; e < Engines; e++) begin : gen_halted
    assign halted[e] = state_i[e] == SeqStateHalted;
  end

  always_comb begin
    counter_o = counter_e'(engine);
    if (!in_engine) begin
      case (offset)
        CsrCoreFastLoadLo, CsrCoreFastLoadHi: counter_o = CounterFastLoad;
        CsrCoreNormalLoadLo, CsrCoreNormalLoadHi: counter_o = CounterNormalLoad;
        default: counter_o = CounterMatmul;
      endcase
    end
  end

  // Registers of the GpSimd cores, one core after the other.
  localparam int unsigned GpsimdSpace = core_pkg::GpsimdCores * CsrGpsimdStride;
  localparam int unsigned GpsimdBits  = core_pkg::GpsimdCores > 1 ? $clog2(core_pkg::GpsimdCores) : 1;
  logic [31:0]           gpsimd_offset;
  logic                  in_gpsimd;
  logic [GpsimdBits-1:0] gpsimd_core;
  assign gpsimd_offset = offset - CsrGpsimdBase;
  assign in_gpsimd     = gpsimd_offset < GpsimdSpace;
  assign gpsimd_core   = GpsimdBits'(gpsimd_offset / CsrGpsimdStride);

  logic all_halted, mapped;
  assign all_halted = (started_q != '0) & ((started_q & ~halted) == '0);

  always_comb begin
    rdata_o   = '0;
    mapped    = 1'b1;
    read_only = 1'b0;
    if (in_engine) begin
      case (engine_offset)
        CsrEngineProgramLo: rdata_o = {program_o[engine].base[25:0], 6'd0};
        CsrEngineProgramHi: rdata_o = program_o[engine].base[57:26];
        CsrEngineProgramLength: rdata_o = program_o[engine].length;
        CsrEngineStart: rdata_o = '0;
        CsrEngineState: {read_only, rdata_o} = {1'b1, 32'(state_i[engine])};
        CsrEnginePc: {read_only, rdata_o} = {1'b1, pc_i[engine]};
        CsrEngineCompleted: {read_only, rdata_o} = {1'b1, completed_i[engine]};
        CsrEngineBusyLo: {read_only, rdata_o} = {1'b1, counter_i[31:0]};
        CsrEngineBusyHi: {read_only, rdata_o} = {1'b1, counter_i[63:32]};
        default: mapped = 1'b0;
      endcase
    end else if (in_gpsimd) begin
      case (gpsimd_offset % CsrGpsimdStride)
        CsrGpsimdPc: {read_only, rdata_o} = {1'b1, gpsimd_pc_i[gpsimd_core]};
        CsrGpsimdState: {read_only, rdata_o} = {1'b1, 32'(gpsimd_state_i[gpsimd_core])};
        default: mapped = 1'b0;
      endcase
    end else begin
      case (offset)
        CsrCoreStatus: {read_only, rdata_o} = {1'b1, 29'd0, all_halted, fault_o, quiet_i};
        CsrCoreErrorCode: {read_only, rdata_o} = {1'b1, 32'(fault_q.code)};
        CsrCoreErrorEngine: {read_only, rdata_o} = {1'b1, 32'(fault_q.engine)};
        CsrCoreErrorPc: {read_only, rdata_o} = {1'b1, fault_q.pc};
        CsrCoreErrorAddress: {read_only, rdata_o} = {1'b1, fault_q.address};
        CsrCoreErrorOpcode: {read_only, rdata_o} = {1'b1, 32'(fault_q.opcode)};
        CsrCoreSrControl: rdata_o = {31'd0, sr_enable_o};
        CsrCoreSrSeed: rdata_o = sr_seed_o;
        CsrCoreSramEcc: {read_only, rdata_o} = {1'b1, memory_counts_i[6][15:0], memory_counts_i[7][15:0]};
        CsrCoreUpsetAddress: rdata_o = {6'd0, upset_address_o};
        CsrCoreUpsetBits: mapped = upset_ready_i;
        CsrCoreMovingWaits: {read_only, rdata_o} = {1'b1, memory_counts_i[0]};
        CsrCoreVectorWaits: {read_only, rdata_o} = {1'b1, memory_counts_i[1]};
        CsrCoreScalarWaits: {read_only, rdata_o} = {1'b1, memory_counts_i[2]};
        CsrCoreBusWaits: {read_only, rdata_o} = {1'b1, memory_counts_i[3]};
        CsrCoreSequencerWaits: {read_only, rdata_o} = {1'b1, memory_counts_i[4]};
        CsrCoreMatmulLo, CsrCoreFastLoadLo, CsrCoreNormalLoadLo: {read_only, rdata_o} = {1'b1, counter_i[31:0]};
        CsrCoreMatmulHi, CsrCoreFastLoadHi, CsrCoreNormalLoadHi: {read_only, rdata_o} = {1'b1, counter_i[63:32]};
        CsrCoreNumericError: {read_only, rdata_o} = {1'b1, 32'(nan_o)};
        CsrCoreNumericEngine: {read_only, rdata_o} = {1'b1, 32'(nan_engine_q)};
        CsrCoreNumericPc: {read_only, rdata_o} = {1'b1, nan_origin_q.pc};
        CsrCoreNumericOpcode: {read_only, rdata_o} = {1'b1, 32'(nan_origin_q.opcode)};
        CsrCoreCountersClear: rdata_o = '0;
        CsrCorePsumUnfounded: {read_only, rdata_o} = {1'b1, memory_counts_i[5]};
        CsrCoreGpsimdWaits: {read_only, rdata_o} = {1'b1, memory_counts_i[8]};
        default: {mapped, rdata_o} = {notify_mapped_i, notify_rdata_i};
      endcase
    end
  end

  assign notify_offset_o = offset;
  assign error_o = !mapped | (write_i & (read_only | (notify_mapped_i & notify_refused_i)));

  assign upset_o            = write_i & (offset == CsrCoreUpsetBits) & upset_ready_i;
  assign upset_first_bit_o  = wdata_i[5:0];
  assign upset_second_bit_o = wdata_i[13:8];

  // A running program is not started again, and no program starts after a fault.
  logic startable;
  assign startable = (state_i[engine] == SeqStateIdle) | halted[engine];

  always_comb begin
    start_o = '0;
    if (write_i & in_engine & (engine_offset == CsrEngineStart) & wdata_i[0] & startable & !fault_o) begin
      start_o[engine] = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      program_o       <= '0;
      started_q       <= '0;
      sr_enable_o     <= 1'b0;
      sr_seed_valid_o <= 1'b0;
      counters_clear_o <= 1'b0;
      sr_seed_o       <= '0;
      upset_address_o <= '0;
    end else begin
      started_q       <= started_q | start_o;
      sr_seed_valid_o <= write_i & (offset == CsrCoreSrSeed);
      counters_clear_o <= write_i & (offset == CsrCoreCountersClear) & wdata_i[0];
      if (write_i & in_engine & (engine_offset == CsrEngineProgramLo)) program_o[engine].base[25:0] <= wdata_i[31:6];
      if (write_i & in_engine & (engine_offset == CsrEngineProgramHi)) program_o[engine].base[57:26] <= wdata_i;
      if (write_i & in_engine & (engine_offset == CsrEngineProgramLength)) program_o[engine].length <= wdata_i;
      if (write_i & (offset == CsrCoreSrControl)) sr_enable_o <= wdata_i[0];
      if (write_i & (offset == CsrCoreUpsetAddress)) upset_address_o <= wdata_i[25:0];
      if (write_i & (offset == CsrCoreSrSeed)) sr_seed_o <= wdata_i;
    end
  end

  // The first fault. Among faults of one cycle the lowest engine comes first, then the core window, the
  // memories and the notification queue.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fault_o <= 1'b0;
      fault_q <= '0;
      fault_new_o <= 1'b0;
    end else if (!fault_o & ((fault_valid_i != '0) | system_valid_i | memory_fault_valid_i | notify_overflow_i)) begin
      fault_o <= 1'b1;
      fault_new_o <= 1'b1;
      fault_q <= system_valid_i ? system_fault_i : memory_fault_valid_i ? memory_fault_i : notify_fault_i;
      for (int unsigned e = Engines; e > 0; e--) begin
        if (fault_valid_i[e-1]) fault_q <= fault_i[e-1];
      end
    end else begin
      fault_new_o <= 1'b0;
    end
  end

  assign first_fault_o = fault_q;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      FaultHasCode: assert (fault_o -> (fault_q.code != ErrorNone));
      StartIsOneHot: assert ($onehot0(start_o));
      OutputsKnown: assert (!$isunknown({rdata_o, error_o, start_o, fault_o, sr_enable_o, sr_seed_valid_o, sr_seed_o, counters_clear_o}));
    end
  end
  `endif

endmodule
