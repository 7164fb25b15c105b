// The words of Verilator's packed values: an integer of 32 or 64 bits, or an array of words.
#pragma once

#include <cstdint>
#include <type_traits>

namespace trnsim::tlm {

template <typename Packed>
void set_word(Packed& value, unsigned word, std::uint32_t bits) {
    if constexpr (std::is_integral_v<Packed>) {
        const unsigned shift = 32 * word;
        const Packed mask = Packed{0xffffffff} << shift;
        value = (value & ~mask) | (Packed{bits} << shift);
    } else {
        value[word] = bits;
    }
}

}  // namespace trnsim::tlm
