// Words of the core's registers and of its window: their sizes and their bits.
#pragma once

#include <cstdint>

namespace trnsim::tlm::core_fast {

inline constexpr std::uint32_t WordBytes = 4;
inline constexpr unsigned WordBits = 32;

inline bool bit(std::uint32_t bits, unsigned index) {
    return (bits >> index & 1) != 0;
}

}  // namespace trnsim::tlm::core_fast
