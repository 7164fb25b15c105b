// A recorded waveform, an FST file in the form that the cores write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace trnsim::waves {

struct Recording {
    std::filesystem::path path;         // absolute
    std::uint64_t first = 0, last = 0;  // ps, the recorded times
    std::set<std::string> signals{};    // "core.neuron_core.sync.pc[31:0]"
};

// Throws std::runtime_error when the file is missing or is no recording of a core.
Recording read_recording(const std::filesystem::path& path);

}  // namespace trnsim::waves
