// Figures of HBM with banks for the statistics.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "model/hbm/statistics.hpp"
#include "runtime/session/statistics.hpp"

namespace trnsim::runtime {

// Of a stack within `time` fs; `tck`: fs of a cycle.
nlohmann::ordered_json dram_json(const tlm::DramStatistics& statistics, std::uint64_t time,
                                 std::uint64_t tck);

// What dram_json() holds: of the stack, of each of its channels.
std::vector<StatisticInfo> dram_figures();
std::vector<StatisticInfo> dram_channel_figures();

}  // namespace trnsim::runtime
