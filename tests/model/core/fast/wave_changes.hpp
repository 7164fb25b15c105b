// The changes that a recording has, signal by signal, and what two recordings differ in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trnsim::test {

// Value by time of each signal, "core.neuron_core.sync.pc [31:0]".
using WaveChanges = std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>>;

// Throws std::runtime_error when there is no such file.
WaveChanges read_changes(const std::string& path);

// The first change, in time, of a signal of `part` that `whole` does not have just so, or a signal that it has not; empty: there
// is none.
std::string difference(const WaveChanges& whole, const WaveChanges& part);

}  // namespace trnsim::test
