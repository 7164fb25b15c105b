// Decodes an address of the core window.
package bus_pkg;

  import core_pkg::*;
  import isa_pkg::*;

  typedef enum logic [2:0] {RegionNone, RegionSbuf, RegionPsum, RegionSystem, RegionTcm} region_e;

  // A beat of memory: the partition and the row of the beat's first word; for the memory of a GpSimd core,
  // the core and the beat's first word.
  typedef struct packed {
    region_e     region;
    lane_t       lane;
    memory_row_t row;
  } target_t;

  localparam int unsigned PsumEnd = WindowPsumBase + (cfg_pkg::Lanes << PsumStrideBits);
  localparam int unsigned TcmEnd  = WindowGpsimdTcmBase + GpsimdCores * WindowGpsimdTcmStride;

  function automatic logic is_system(logic [25:0] addr);
    return addr >= 26'(WindowEventBase);
  endfunction

  function automatic target_t decode_target(logic [25:0] addr);
    target_t     target;
    logic [25:0] offset, psum_addr, tcm_addr;
    psum_addr = addr - 26'(WindowPsumBase);
    tcm_addr  = addr - 26'(WindowGpsimdTcmBase);
    target    = '0;
    if (addr < 26'(WindowPsumBase)) begin
      offset = addr & 26'((1 << SbufStrideBits) - 1);
      target.lane = lane_t'(addr >> SbufStrideBits);
      if (offset < 26'(cfg_pkg::SbufBytes) & (addr >> SbufStrideBits) < 26'(cfg_pkg::Lanes)) target.region = RegionSbuf;
    end else if (addr < 26'(PsumEnd)) begin
      offset = psum_addr & 26'((1 << PsumStrideBits) - 1);
      target.lane = lane_t'(psum_addr >> PsumStrideBits);
      if (offset < 26'(cfg_pkg::PsumBytes)) target.region = RegionPsum;
    end else if (addr >= 26'(WindowGpsimdTcmBase) & addr < 26'(TcmEnd)) begin
      offset = tcm_addr & 26'(WindowGpsimdTcmStride - 1);
      target.lane   = lane_t'(tcm_addr / 26'(WindowGpsimdTcmStride));
      target.region = RegionTcm;
    end else begin
      offset = '0;
      if (is_system(addr)) target.region = RegionSystem;
    end
    target.row = memory_row_t'((offset & ~26'(BeatBytes - 1)) >> 2);
    return target;
  endfunction

endpackage
