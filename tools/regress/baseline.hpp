// Cycles of the cases of a list as they were when somebody last looked at them: LIST.cycles.json beside the
// list, a JSON object with a key for each case.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace trnsim::regress {

constexpr double MaxChange = 0.01;  // of the cycles of the baseline

using Baseline = std::map<std::string, std::uint64_t>;

// configs/quick.yaml: configs/quick.cycles.json
std::filesystem::path baseline_file(const std::filesystem::path& list);

// Empty when there is no such file. Throws config::Error `file:line:column: ...` for another text.
Baseline read_baseline(const std::filesystem::path& path);

// Throws files::Error.
void write_baseline(const std::filesystem::path& path, const Baseline& baseline);

// What is wrong with a case of so many cycles; empty: nothing. An empty baseline accepts everything.
std::string compare(const Baseline& baseline, const std::string& id, std::uint64_t cycles);

}  // namespace trnsim::regress
