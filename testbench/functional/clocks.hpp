// Vector clocks: the events that are known to have happened, whatever the timing.
#pragma once

#include <cstdint>
#include <vector>

namespace trnsim::functional {

// Says how far each agent is known to have come. An agent does its work in order. It is an engine, or the
// ring of one queue on one DMA engine.
using Clock = std::vector<std::uint32_t>;

void join(Clock& clock, const Clock& other);

}  // namespace trnsim::functional
