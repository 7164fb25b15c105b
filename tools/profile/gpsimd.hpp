// Counts the cycles that GpSimd cores spent, by function and source line.
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

// Counts cycles and instructions by address, separately for each start of a core.
class GpsimdRecorder : public tlm::GpsimdObserver {
  public:
    struct Count {
        std::uint64_t cycles = 0;  // without sleep and time before the start
        std::uint64_t instructions = 0;
    };
    struct Program {
        std::vector<std::uint8_t> memory;  // contents of the TCM at the start
        std::vector<Count> counts;         // by word of the TCM
    };

    void start(unsigned core, const tlm::GpsimdView& view) override;
    void cycle(unsigned core, const tlm::GpsimdCycle& cycle, const tlm::GpsimdView& view) override;

    const std::vector<Program>& programs() const { return programs_; }

  private:
    struct Core {
        std::optional<std::size_t> program;
        std::uint64_t before = 0;  // cycles that belong to the first instruction, before it
        bool executes = false;
    };

    std::vector<Program> programs_;
    std::array<Core, tlm::MaxGpsimdCores> cores_{};
};

// A place in code, with counts of all cores together; most cycles first.
struct GpsimdSpot {
    std::string place;
    GpsimdRecorder::Count count;
};
struct GpsimdSpots {
    std::vector<GpsimdSpot> functions;  // e.g. "relu"
    std::vector<GpsimdSpot> lines;      // e.g. "relu at relu.cpp:12"
};

// Finds places by the images of the package; code of no image is named by its address.
GpsimdSpots gpsimd_spots(const GpsimdRecorder& recorder, const neff::Package& package);

}  // namespace trnsim::profile
