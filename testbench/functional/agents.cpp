#include "testbench/functional/agents.hpp"

#include <fmt/format.h>

namespace trnsim::functional {

std::string Agents::name(std::size_t agent) const {
    if (agent < neff::EngineCount) return std::string(isa::name_of(static_cast<isa::Engine>(agent)));
    const std::size_t ring = agent - neff::EngineCount;
    return fmt::format("{} on DMA engine {}", package_->queues[ring / dma_engines()].name,
                       ring % dma_engines());
}

}  // namespace trnsim::functional
