// What a chip counted since it was built. Differences of two snapshots give the figures of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/core/statistics.hpp"
#include "tlm/dma/statistics.hpp"
#include "tlm/hbm/statistics.hpp"

namespace trnsim::tlm {

struct Statistics {
    std::uint64_t time = 0;  // fs of simulated time
    CoreStatistics core;
    std::vector<Traffic> hbm;          // by stack
    std::vector<DramStatistics> dram;  // by stack, of a model with banks; otherwise empty
    std::vector<DmaStatistics> dma;    // by engine
};

}  // namespace trnsim::tlm
