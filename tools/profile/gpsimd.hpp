// Where the GpSimd cores spent their cycles, by function and source line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/neff/package.hpp"
#include "firmware/include/trnsim/memory_map.h"
#include "model/core/gpsimd.hpp"

namespace trnsim::profile {

// Counts cycles and instructions by address, for each time that a core was started.
class GpsimdRecorder : public tlm::GpsimdObserver {
  public:
    struct Count {
        std::uint64_t cycles = 0;  // asleep or not started: none
        std::uint64_t instructions = 0;
    };
    struct Program {
        std::vector<std::uint8_t> memory;  // the TCM when it was started
        std::vector<Count> counts;         // by word of the TCM
    };

    void start(unsigned core, const tlm::GpsimdView& view) override;
    void cycle(unsigned core, const tlm::GpsimdCycle& cycle, const tlm::GpsimdView& view) override;

    const std::vector<Program>& programs() const { return programs_; }

  private:
    struct Core {
        std::optional<std::size_t> program;
        std::uint64_t before = 0;  // cycles before the first instruction, which they belong to
        bool executes = false;
    };

    std::vector<Program> programs_;
    std::array<Core, tlm::MaxGpsimdCores> cores_{};
};

// Of all cores together, most cycles first.
struct GpsimdSpot {
    std::string place;
    GpsimdRecorder::Count count;
};
struct GpsimdSpots {
    std::vector<GpsimdSpot> functions;  // "relu"
    std::vector<GpsimdSpot> lines;      // "relu at relu.cpp:12"
};

// By the images of the package; code that none of them has is at its address.
GpsimdSpots gpsimd_spots(const GpsimdRecorder& recorder, const neff::Package& package);

}  // namespace trnsim::profile
