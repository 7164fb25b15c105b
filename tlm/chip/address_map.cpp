#include "tlm/chip/address_map.hpp"

#include "tlm/dma/registers.hpp"

namespace trnsim::tlm::chip {

Targets targets(const config::Config& config) {
    const auto stacks = static_cast<unsigned>(config.hbm.stacks);
    return {stacks, stacks + 1, stacks + 2};
}

std::vector<fabric::Range> address_map(const config::Config& config) {
    std::vector<fabric::Range> map;
    for (unsigned stack = 0; stack < config.hbm.stacks; ++stack) {
        map.push_back({HbmBase + stack * addresses::HbmStackStride, config.hbm.capacity, stack});
    }
    map.push_back({CoreBase, CoreBytes, targets(config).core});
    map.push_back({dma::RegisterBase, config.dma.engines * dma::EngineStride, targets(config).dma});
    return map;
}

}  // namespace trnsim::tlm::chip
