// Signals of models that are not RTL, in the recording of a core: GTKWave shows one file in a window, and the
// core's model writes its file itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace trnsim::waves {

// A signal below the scope that is added; of `bits` 0 it is text.
struct Signal {
    std::string scope;  // within that: "queue[2]", or none
    std::string name;
    unsigned bits = 0;
};

struct Change {
    std::uint64_t time = 0;  // ps
    std::size_t signal = 0;
    std::uint64_t value = 0;
    std::string text{};
};

// A scope that is added, beside the core's.
struct Scope {
    std::string name;
    std::vector<Signal> signals;
    std::vector<Change> changes;  // in the order of time
};

// Writes the recording anew with these scopes more. Changes after the last cycle recorded, of a recording that is not
// `whole`, are left out. Returns why the file is not whole; empty: it is. Throws std::runtime_error when it is no
// recording.
std::string add_signals(const std::filesystem::path& recording, std::span<const Scope> scopes, bool whole);

}  // namespace trnsim::waves
