// Completions, and what comes after them.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/builder/resources.hpp"

namespace trnsim::builder {

// The producer of events of a builder that records steps: `index` is the number of the step.
constexpr std::int32_t StepProducer = -2;

// The completion of an instruction or of a DMA transfer. Default: something that has always happened.
struct Event {
    std::int32_t producer = -1;  // an engine, or EngineCount + a queue, or StepProducer
    std::uint64_t index = 0;     // of the instruction in its stream, of the transfer in its queue
    // Not 0: of a call in a loop, counted from 1, and then `index` is that of the call. In the loop: in the
    // same iteration; behind it: in the last.
    std::uint32_t loop = 0;
    BuilderNumber builder = NoBuilder;
};

// What an instruction comes after. An event of the same engine costs nothing where the engine's own order
// implies it.
using After = std::vector<Event>;

}  // namespace trnsim::builder
