// Conversion of values in the registers and memories of a verilated core, whatever their types in Verilator,
// to and from the plain data of a checkpoint.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "arch/checkpoint/core_state.hpp"
#include "cfg_parameters.hpp"

namespace trnsim::tlm::verilated {

inline constexpr unsigned WordBits = 32;

// Returns `count` bits of a packed value, from `first` on.
template <typename Wide>
std::uint64_t bits_of(const Wide& wide, unsigned first, unsigned count) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i)
        value |= std::uint64_t{wide[(first + i) / WordBits] >> (first + i) % WordBits & 1} << i;
    return value;
}
template <typename Wide>
void set_bits(Wide& wide, unsigned first, unsigned count, std::uint64_t value) {
    for (unsigned i = 0; i < count; ++i) {
        const std::uint32_t bit = 1u << (first + i) % WordBits;
        std::uint32_t& word = wide[(first + i) / WordBits];
        word = (value >> i & 1) != 0 ? word | bit : word & ~bit;
    }
}

// Saves a zeroed_memory: words that are not valid are 0.
template <typename Memory, typename Valid>
void save_zeroed(const Memory& memory, const Valid& valid, std::array<std::uint32_t, 256>& values) {
    for (unsigned i = 0; i < values.size(); ++i) values[i] = bits_of(valid, i, 1) != 0 ? memory[i] : 0;
}
template <typename Memory, typename Valid>
void load_zeroed(const std::array<std::uint32_t, 256>& values, Memory& memory, Valid& valid) {
    for (unsigned i = 0; i < values.size(); ++i) {
        memory[i] = values[i];
        set_bits(valid, i, 1, 1);
    }
}

// A row has one word of every partition; the state has one partition after the other.
template <typename Memory>
void save_rows(const Memory& memory, unsigned bytes, std::vector<std::uint8_t>& to) {
    to.resize(std::size_t{cfg::Lanes} * bytes);
    for (unsigned row = 0; row < bytes / 4; ++row) {
        for (unsigned lane = 0; lane < cfg::Lanes; ++lane)
            std::memcpy(to.data() + std::size_t{lane} * bytes + std::size_t{row} * 4, &memory[row][lane], 4);
    }
}
template <typename Memory>
void load_rows(const std::vector<std::uint8_t>& from, unsigned bytes, Memory& memory) {
    for (unsigned row = 0; row < bytes / 4; ++row) {
        for (unsigned lane = 0; lane < cfg::Lanes; ++lane)
            std::memcpy(&memory[row][lane], from.data() + std::size_t{lane} * bytes + std::size_t{row} * 4,
                        4);
    }
}

// A mask has one bit of every partition.
template <typename Masks>
void save_marks(const Masks& masks, unsigned rows, std::vector<std::uint8_t>& to) {
    to.resize(std::size_t{cfg::Lanes} * rows);
    for (unsigned row = 0; row < rows; ++row) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(&masks[row]);
        for (unsigned lane = 0; lane < cfg::Lanes; ++lane)
            to[std::size_t{lane} * rows + row] = bytes[lane / 8] >> lane % 8 & 1;
    }
}
// Without marks, all are set.
template <typename Masks>
void load_marks(const std::vector<std::uint8_t>& from, unsigned rows, Masks& masks) {
    for (unsigned row = 0; row < rows; ++row) {
        auto* bytes = reinterpret_cast<std::uint8_t*>(&masks[row]);
        for (unsigned lane = 0; lane < cfg::Lanes; ++lane) {
            const auto bit = static_cast<std::uint8_t>(1u << lane % 8);
            const bool set = from.empty() || from[std::size_t{lane} * rows + row] != 0;
            bytes[lane / 8] = static_cast<std::uint8_t>(set ? bytes[lane / 8] | bit : bytes[lane / 8] & ~bit);
        }
    }
}

template <typename Words>
void save_generators(const Words& words, checkpoint::GeneratorState& state) {
    for (std::size_t i = 0; i < state.size(); ++i) state[i].assign(words[i], words[i] + cfg::Lanes);
}
template <typename Words>
void load_generators(const checkpoint::GeneratorState& state, const Words& words) {
    for (std::size_t i = 0; i < state.size(); ++i) std::ranges::copy(state[i], words[i]);
}

}  // namespace trnsim::tlm::verilated
