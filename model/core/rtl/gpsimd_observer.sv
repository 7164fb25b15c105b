// Events in a model of a GpSimd core: it counts the class of each of its cycles and, if observed, reports
// what happens in it. It is bound into a core that is a model of its own (gpsimd_cores.hpp); it is no part of
// the design.
/* verilator tracing_off */
module gpsimd_observer
  import gpsimd_pkg::*;
(
  input logic clk_i,
  input logic rst_ni
);

  // The same classes as in model/core/counts.hpp.
  typedef enum logic [2:0] {
    CycleRetired, CycleFetch, CycleOperand, CycleVector, CycleMemory, CycleUnit, CycleTrap, CycleSleep
  } cycle_e;

  // The same sources as in model/core/gpsimd.hpp.
  typedef enum logic [2:0] {
    SourceExecute, SourceLoad, SourceMultiply, SourceDivide, SourceFloat, SourceVector, SourceVectorLoad, SourceVectorStore
  } source_e;

  typedef bit [8*BeatBytes-1:0] beat_bits_t;

  // The events of the current edge; the cycle goes first.
  import "DPI-C" function void trnsim_gpsimd_cycle(
    input int unsigned which, input int unsigned pc, input int unsigned insn, input bit executes, input bit retired, input bit later,
    input int unsigned source, input bit trapped, input bit part, input bit cuts_vl, input bit start);
  import "DPI-C" function void trnsim_gpsimd_result(
    input int unsigned source, input int unsigned dest, input int unsigned value, input int unsigned flags);
  import "DPI-C" function void trnsim_gpsimd_access(
    input int unsigned address, input bit store, input int unsigned bytes, input longint unsigned strobe, input beat_bits_t data,
    input bit ends);
  import "DPI-C" function void trnsim_gpsimd_vector(
    input int unsigned source, input bit writes, input int unsigned index, input int unsigned flags, input bit saturated, input bit done);

  longint unsigned cycles_q [8] /* verilator public_flat_rd */;
  bit              observed /* verilator public_flat_rw */;

  // The class of the wait of the instruction in execute.
  function automatic cycle_e cause();
    case (gpsimd_core.decoded_q.unit)
      UnitLoad, UnitStore: return u_execute.overtakes ? CycleVector : CycleMemory;
      UnitVmem: begin
        // While it works itself, it waits for memory if an access is not taken or data has still to come.
        if (u_execute.streams) return CycleVector;
        if (gpsimd_core.vector_load_valid & ~gpsimd_core.load_ready) return CycleMemory;
        if (gpsimd_core.vector_store_valid & ~gpsimd_core.store_ready) return CycleMemory;
        if (u_vector.u_load.state_q == 2'd2 || u_vector.u_store.state_q == 2'd2) return CycleMemory;
        return CycleVector;
      end
      UnitVector, UnitSystem: return CycleVector;
      UnitCsr: return gpsimd_core.vector_idle ? CycleUnit : CycleVector;
      UnitFence: return ~gpsimd_core.vector_idle ? CycleVector : gpsimd_core.lsu_idle ? CycleUnit : CycleMemory;
      default: return CycleUnit;
    endcase
  endfunction

  function automatic cycle_e cycle_class();
    if (gpsimd_core.retires) return CycleRetired;
    if (!gpsimd_core.valid_q) begin
      if (!(gpsimd_core.run_q && gpsimd_core.run_i)) return CycleSleep;
      return (gpsimd_core.fetch_valid & gpsimd_core.hazard) ? CycleOperand : CycleFetch;
    end
    if (gpsimd_core.trap) return CycleTrap;
    if (gpsimd_core.waiting_o) return CycleSleep;
    return cause();
  endfunction

  cycle_e which;
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned k = 0; k < 8; k++) cycles_q[k] <= '0;
    end else begin
      which = cycle_class();
      cycles_q[which] <= cycles_q[which] + 64'd1;
    end
  end
  /* verilator lint_on BLKSEQ */

  // Sources of results: of the instruction in execute when its result comes later, and of the unit result
  // that is ready now.
  function automatic source_e awaited();
    if (gpsimd_core.decoded_q.unit == UnitLoad) return SourceLoad;
    if (gpsimd_core.decoded_q.unit == UnitVector) return SourceVector;
    if (gpsimd_core.decoded_q.unit == UnitVmem) return gpsimd_core.insn_q[5] ? SourceVectorStore : SourceVectorLoad;
    return u_units.is_multiply ? SourceMultiply : u_units.is_divide ? SourceDivide : SourceFloat;
  endfunction

  function automatic source_e unit_source();
    if (gpsimd_core.vector_result_valid) return SourceVector;
    return u_units.divide_valid ? SourceDivide : u_units.fp_valid ? SourceFloat : SourceMultiply;
  endfunction

  // Bits of a mask are merged with the old ones: without an active element nothing is written.
  function automatic logic operation_writes();
    if (u_vector.enable == '0) return 1'b0;
    case (u_vector.row_q.kind)
      gpsimd_vdecode_pkg::VInt, gpsimd_vdecode_pkg::VFp: return u_vector.active != '0;
      gpsimd_vdecode_pkg::VMaskSet: return u_vector.u_beat.moved != '0;  // the active elements, all in one beat
      default: return 1'b1;
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    if (observed) begin
      trnsim_gpsimd_cycle(
        32'(cycle_class()), gpsimd_core.pc_q, gpsimd_core.insn_q, gpsimd_core.valid_q, gpsimd_core.retires,
        gpsimd_core.retires & (gpsimd_core.units_start | u_execute.streams | (gpsimd_core.decoded_q.unit inside {UnitLoad, UnitVector})),
        32'(awaited()),
        gpsimd_core.trap, gpsimd_core.trap & u_execute.started_q, gpsimd_core.vl_write & (gpsimd_core.decoded_q.unit == UnitVmem),
        gpsimd_core.start);
      if (gpsimd_core.alu_valid) trnsim_gpsimd_result(32'(SourceExecute), 32'(gpsimd_core.dest_q), gpsimd_core.alu_value, '0);
      if (gpsimd_core.load_scalar) trnsim_gpsimd_result(32'(SourceLoad), 32'(gpsimd_core.load_access.dest), gpsimd_core.load_value, '0);
      if (gpsimd_core.unit_valid) begin
        trnsim_gpsimd_result(
          32'(unit_source()), 32'(gpsimd_core.unit_result.dest), gpsimd_core.unit_result.value, 32'(gpsimd_core.unit_result.flags));
      end
      if (u_lsu.push) begin
        trnsim_gpsimd_access(
          u_lsu.load_address_i, 1'b0, gpsimd_core.vector_load_valid ? 32'd1 << u_vector.u_load.width : '0,
          gpsimd_core.vector_load_valid ? u_vector.u_load.strobe_o : '0, '0, u_lsu.load_access_i.ends);
      end
      if (u_lsu.store_valid_i & u_lsu.store_ready_o) begin
        trnsim_gpsimd_access(
          u_lsu.store_address_i, 1'b1, gpsimd_core.vector_store_valid ? 32'd1 << u_vector.u_store.width : '0, u_lsu.store_strobe_i,
          u_lsu.store_wdata_i, 1'b0);
      end
      if (u_vector.state_q == 1'b1) begin
        trnsim_gpsimd_vector(
          32'(SourceVector), operation_writes(), 32'(u_vector.write_register), 32'(gpsimd_core.vector_flags),
          gpsimd_core.vector_saturated, gpsimd_core.vector_done);
      end
      if (u_vector.arrives) begin
        trnsim_gpsimd_vector(
          32'(SourceVectorLoad), u_lsu.data_access_o.enable != '0, 32'(u_lsu.data_access_o.dest[4:0]), '0, 1'b0,
          u_lsu.data_access_o.ends);
      end
      if (u_vector.u_store.finishes) trnsim_gpsimd_vector(32'(SourceVectorStore), 1'b0, '0, '0, 1'b0, 1'b1);
    end
  end

endmodule

bind gpsimd_core gpsimd_observer u_observer (.clk_i, .rst_ni);
