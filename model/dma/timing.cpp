#include "model/dma/timing.hpp"

namespace trnsim::tlm::dma {

EngineTiming engine_timing(const config::Config& config) {
    return {config.dma.bandwidth,
            config.dma.burst,
            config.dma.burst_gap,
            config.dma.start_latency,
            2 * config.fabric.latency + config::unloaded_read_latency(config.hbm),
            config.dma.prefetch};
}

}  // namespace trnsim::tlm::dma
