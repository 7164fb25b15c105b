// The duration of an instruction.
#pragma once

#include <cstdint>

#include "arch/cost/exceptions.hpp"

namespace trnsim::cost {

// Cycles of an instruction that waits for nothing: its program is fetched, its semaphores are satisfied, no
// other instruction uses its memory ports, and its engine is idle. The function that returns them defines the
// unit: cycles of the engine's clock or of the core's.
struct Cycles {
    std::uint64_t occupies = 0;   // from its completion to that of an equal instruction right after it
    std::uint64_t completes = 0;  // from its issue (in the engine's clock: hand-over) to its completion
    // The largest difference of the RTL from either figure, and its reason; 0: the figure is exact.
    std::uint64_t occupies_within = 0, completes_within = 0;
    Exception exception = Exception::None;

    bool operator==(const Cycles&) const = default;
};

}  // namespace trnsim::cost
