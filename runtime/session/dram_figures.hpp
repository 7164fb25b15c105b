// Figures of HBM with banks for the statistics.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "model/hbm/statistics.hpp"
#include "runtime/session/statistics.hpp"

namespace trnsim::runtime {

// Returns the figures of a stack within `time` fs; `tck` is the fs of a cycle.
nlohmann::ordered_json dram_json(const tlm::DramStatistics& statistics, std::uint64_t time,
                                 std::uint64_t tck);

// Describes the content of dram_json(): of the stack, and of each of its channels.
std::vector<StatisticInfo> dram_figures();
std::vector<StatisticInfo> dram_channel_figures();

}  // namespace trnsim::runtime
