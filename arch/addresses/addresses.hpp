// Places in the system address space (facts of the public driver; docs/architecture.md).
#pragma once

#include <cstdint>
#include <string>

namespace trnsim::addresses {

// A NeuronCore of a system: its chip, and its place on that chip.
struct CoreId {
    unsigned chip = 0, core = 0;
    bool operator==(const CoreId&) const = default;
};

// Returns "chip 0 core 1".
inline std::string name_of(CoreId id) {
    return "chip " + std::to_string(id.chip) + " core " + std::to_string(id.core);
}

constexpr std::uint64_t HbmBase = 0x0;
constexpr std::uint64_t HbmStackStride = 0x1000000000;  // bytes from stack to stack
constexpr unsigned CoresPerChip = 2;
constexpr std::uint64_t CoreWindowBase = 0xfffc0000000;  // core 0
constexpr std::uint64_t CoreWindowStride = 0x4000000;    // bytes from core to core
constexpr std::uint64_t core_window(std::uint64_t core) {
    return CoreWindowBase + core * CoreWindowStride;
}

}  // namespace trnsim::addresses
