// Counts of a core of a chip and of its DMA engines since they were built, and of the memories of the chip,
// which serve all of its cores. The difference of two snapshots gives the figures of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "model/core/statistics.hpp"
#include "model/dma/statistics.hpp"
#include "model/hbm/statistics.hpp"

namespace trnsim::tlm {

struct Statistics {
    std::uint64_t time = 0;  // fs of simulated time
    CoreStatistics core;
    std::vector<Traffic> hbm;          // by stack, of all initiators
    std::vector<DramStatistics> dram;  // by stack, for a model with banks; otherwise empty
    std::vector<DmaStatistics> dma;    // by engine of the core
};

}  // namespace trnsim::tlm
