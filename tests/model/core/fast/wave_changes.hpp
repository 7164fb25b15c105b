// Reads the changes of a recording, signal by signal, and compares two recordings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trnsim::test {

// The changes (time, value) of each signal, for example "core.neuron_core.sync.pc [31:0]".
using WaveChanges = std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>>;

// Throws std::runtime_error if there is no such file.
WaveChanges read_changes(const std::string& path);

// Returns the first change, in time, of a signal of `part` that `whole` does not have equally, or a signal
// that `whole` lacks; empty if there is none.
std::string difference(const WaveChanges& whole, const WaveChanges& part);

}  // namespace trnsim::test
