// The targets of the addresses of the core window (rtl/bus/bus_pkg.sv).
#pragma once

#include <cstdint>

#include "arch/config/config.hpp"
#include "isa/core_window.hpp"

namespace trnsim::tlm::core_fast {

enum class WindowRegion : std::uint8_t { None, Sbuf, Psum, System, Tcm };

class WindowMap {
  public:
    explicit WindowMap(const config::Core& core)
        : lanes_(static_cast<std::uint32_t>(core.partitions)),
          sbuf_stride_(isa::sbuf_partition_stride(lanes_)),
          sbuf_bytes_(static_cast<std::uint32_t>(core.sbuf_partition)),
          psum_bytes_(static_cast<std::uint32_t>(core.psum_partition)) {}

    WindowRegion region(std::uint32_t address) const {
        namespace window = isa::window;
        if (address < window::PsumBase)
            return address / sbuf_stride_ < lanes_ && address % sbuf_stride_ < sbuf_bytes_
                       ? WindowRegion::Sbuf
                       : WindowRegion::None;
        const std::uint32_t psum = address - window::PsumBase;
        if (psum < lanes_ * window::PsumPartitionStride)
            return psum % window::PsumPartitionStride < psum_bytes_ ? WindowRegion::Psum : WindowRegion::None;
        if (address >= window::EventBase) return WindowRegion::System;
        const std::uint32_t cores = (lanes_ + SliceWords - 1) / SliceWords;
        const std::uint32_t most = cores < MostCores ? cores : MostCores;
        const bool tcm = address >= window::GpsimdTcmBase &&
                         address - window::GpsimdTcmBase < most * window::GpsimdTcmStride;
        return tcm ? WindowRegion::Tcm : WindowRegion::None;
    }
    // Returns for SBUF and PSUM a number that no other slice of either has.
    std::uint32_t slice(std::uint32_t address) const {
        const bool psum = address >= isa::window::PsumBase;
        const std::uint32_t partition =
            psum ? (address - isa::window::PsumBase) / isa::window::PsumPartitionStride
                 : address / sbuf_stride_;
        const std::uint32_t slice = lanes_ >= 2 * SliceWords ? SliceWords : lanes_ / 2;
        return 2 * (partition / slice) + (psum ? 1 : 0);
    }

  private:
    static constexpr std::uint32_t SliceWords = 16, MostCores = 8;

    std::uint32_t lanes_, sbuf_stride_, sbuf_bytes_, psum_bytes_;
};

}  // namespace trnsim::tlm::core_fast
