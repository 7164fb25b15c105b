// Signals of models that are not RTL, and their changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trnsim::waves {

inline constexpr int Picoseconds = -12;     // power of ten of the time unit of recordings
inline constexpr const char* NoText = "-";  // shown by a text signal where there is nothing
inline constexpr std::uint32_t WordBits = 32;

// A signal below a scope; of `bits` 0 it is text.
struct Signal {
    std::string scope;  // within that, a path: "queue[2]", "chip[0].E"; may be empty
    std::string name;
    unsigned bits = 0;
};

struct Change {
    std::uint64_t time = 0;  // ps
    std::size_t signal = 0;
    std::uint64_t value = 0;
    std::string text{};
};

// A scope at the top of a waveform. Signals of one scope within it are consecutive.
struct Scope {
    std::string name;
    std::vector<Signal> signals;
    std::vector<Change> changes;  // in the order of time
};

}  // namespace trnsim::waves
