// A profile as tables with the names and meanings of neuron-profile's schema: one row an object, times in
// nanoseconds. What a simulation of one core has not is left out; EngineCycles is a table of its own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/profile/profile.hpp"

namespace trnsim::profile {

// A table's name and its rows, which all have the same members.
using Table = std::pair<std::string, nlohmann::ordered_json>;

// Metadata, Summary, Instruction, ActiveTime, EngineCycles, OpcodeSummary, DmaPacket, TensorInfo, Warning.
std::vector<Table> tables(const Profile& profile, const neff::Package& package, const config::Config& config,
                          const runtime::Result& result, const Recorder& recorder);

// RFC 4180 with a line of names.
std::string to_csv(const nlohmann::ordered_json& rows);

}  // namespace trnsim::profile
