// What a core of a chip and its DMA engines counted since they were built, and the memories of the chip, which
// serve all of its cores. Differences of two snapshots give the figures of a run.
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
    std::vector<Traffic> hbm;          // by stack, of everybody
    std::vector<DramStatistics> dram;  // by stack, of a model with banks; otherwise empty
    std::vector<DmaStatistics> dma;    // by engine of the core
};

}  // namespace trnsim::tlm
