// A profile as tables with the names and meanings of neuron-profile's schema: one object for each row, times
// in nanoseconds. Data that a simulation of one core does not have is left out; EngineCycles is a table of
// this simulator alone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/profile/profile.hpp"

namespace trnsim::profile {

// A table's name and its rows, which all have the same members.
using Table = std::pair<std::string, nlohmann::ordered_json>;

// Returns Metadata, Summary, Instruction, ActiveTime, EngineCycles, OpcodeSummary, DmaPacket, TensorInfo,
// Warning.
std::vector<Table> tables(const Profile& profile, const neff::Package& package, const config::Config& config,
                          const runtime::Result& result, const Recorder& recorder);

// Writes RFC 4180 with a line of names.
std::string to_csv(const nlohmann::ordered_json& rows);

}  // namespace trnsim::profile
