// Vector clocks: what is known to have happened, whatever the timing.
#pragma once

#include <cstdint>
#include <vector>

namespace trnsim::functional {

// How far each agent is known to have come. An agent does its work in order: an engine, and each DMA engine
// with each queue's ring.
using Clock = std::vector<std::uint32_t>;

void join(Clock& clock, const Clock& other);

}  // namespace trnsim::functional
