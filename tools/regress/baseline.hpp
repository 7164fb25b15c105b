// Baseline cycles of the cases of a list, as last accepted: LIST.cycles.json beside the list, a JSON object
// with a key for each case.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "tools/profile/comparison.hpp"

namespace trnsim::regress {

constexpr double MaxChange = 0.01;  // relative to the cycles of the baseline

using Baseline = std::map<std::string, std::uint64_t>;

// Returns e.g. configs/quick.cycles.json for configs/quick.yaml.
std::filesystem::path baseline_file(const std::filesystem::path& list);

// Returns an empty baseline when there is no such file. Throws config::Error `file:line:column: ...` for
// another text.
Baseline read_baseline(const std::filesystem::path& path);

// Throws files::Error.
void write_baseline(const std::filesystem::path& path, const Baseline& baseline);

// The cycles of the cases by engine and class, as last accepted, which say where a change lies:
// LIST.engines.json beside the list.
using EngineBaseline = std::map<std::string, profile::EngineCycles>;

std::filesystem::path engines_file(const std::filesystem::path& list);
// Returns an empty one when there is no such file. Throws std::runtime_error for another text.
EngineBaseline read_engines(const std::filesystem::path& path);
void write_engines(const std::filesystem::path& path, const EngineBaseline& baseline);  // throws files::Error

// Describes what is wrong with the number of cycles of a case; empty if nothing is. An empty baseline accepts
// everything.
std::string compare(const Baseline& baseline, const std::string& id, std::uint64_t cycles);

}  // namespace trnsim::regress
