// Completions of instructions and transfers, and the lists of those to wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/builder/resources.hpp"

namespace trnsim::builder {

// The producer of events of a builder that records steps: `index` is the number of the step.
constexpr std::int32_t StepProducer = -2;

// The completion of an instruction or of a DMA transfer. The default is always complete.
struct Event {
    std::int32_t producer = -1;  // an engine, or EngineCount + a queue, or StepProducer
    std::uint64_t index = 0;     // an instruction in its stream, a transfer in its queue
    // The loop of a call in a loop, counted from 1, and then `index` is that of the call; 0: no loop. Within
    // the loop the event is of the same iteration, after it of the last one.
    std::uint32_t loop = 0;
    BuilderNumber builder = NoBuilder;
};

// The events that an instruction comes after. An event of the same engine costs nothing if the engine's own
// order implies it.
using After = std::vector<Event>;

}  // namespace trnsim::builder
