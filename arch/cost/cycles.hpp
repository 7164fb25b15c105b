// How long something takes.
#pragma once

#include <cstdint>

#include "arch/cost/exceptions.hpp"

namespace trnsim::cost {

// Cycles of an instruction with nothing in its way: program fetched, semaphores satisfied, memory ports its own, engine at rest. The
// function that returns one says the unit: cycles of the engine's clock or of the core's.
struct Cycles {
    std::uint64_t occupies = 0;   // of its engine: from its completion to that of one like it right behind it
    std::uint64_t completes = 0;  // from its issue, of an engine's clock its hand-over, to its completion
    // How far the RTL may be from either, and why; 0: it is what the RTL takes.
    std::uint64_t occupies_within = 0, completes_within = 0;
    Exception exception = Exception::None;

    bool operator==(const Cycles&) const = default;
};

}  // namespace trnsim::cost
