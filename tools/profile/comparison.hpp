// Compares two runs: where the cycles of the second went that the first did not need.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/profile/profile.hpp"

namespace trnsim::profile {

// Cycles of each engine by class, by the engine's name.
using EngineCycles = std::map<std::string, std::array<std::uint64_t, CycleClasses>>;

EngineCycles engine_cycles(const std::vector<EngineProfile>& engines);

// Returns the engines and classes whose cycles differ, one a line after a heading, most first; one line if
// none do.
std::string differences(const EngineCycles& before, const EngineCycles& after);

// Compares the tables of two runs, such as --json writes: time and cycles, engines by class, opcodes, DMA,
// MFU, MBU. Runs with different clocks are compared by time. Several lines. Throws std::runtime_error for
// tables that lack one of those.
std::string against(const nlohmann::ordered_json& before, const nlohmann::ordered_json& after);

}  // namespace trnsim::profile
