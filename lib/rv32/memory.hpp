// Accesses of a core to its TCM and its slice of SBUF.
#pragma once

#include "lib/rv32/state.hpp"

namespace trnsim::rv32 {

// A word of the slice, where there is one.
struct SliceWord {
    std::uint8_t* data = nullptr;
    std::uint8_t* touched = nullptr;
};

inline bool in_slice(const State& s, std::uint32_t address) {
    return address - TRNSIM_SLICE_BASE < s.sizes.slice_partition_bytes * TRNSIM_SLICE_PARTITIONS;
}
inline bool in_tcm(const State& s, std::uint32_t address, std::uint32_t bytes) {
    return address - TRNSIM_TCM_BASE <= s.sizes.tcm_bytes - bytes;
}

inline SliceWord slice_word(const State& s, std::uint32_t offset) {
    const std::uint32_t partition = offset / 4 % TRNSIM_SLICE_PARTITIONS;
    const std::uint32_t byte = offset / (4 * TRNSIM_SLICE_PARTITIONS) * 4;
    if (partition >= s.slice.partitions || byte >= s.slice.partition_bytes) return {};
    const std::size_t at = std::size_t{partition} * s.slice.partition_bytes + byte;
    return {s.slice.data + at, s.slice.touched ? s.slice.touched + at / 4 : nullptr};
}

inline void read_slice(const State& s, std::uint32_t offset, void* to, std::uint32_t bytes) {
    const SliceWord word = slice_word(s, offset);
    if (!word.data) {
        std::memset(to, 0, bytes);
        return;
    }
    std::memcpy(to, word.data + offset % 4, bytes);
    if (word.touched) {
        const auto mask = static_cast<std::uint8_t>(((1U << bytes) - 1) << offset % 4);
        *word.touched |= mask & static_cast<std::uint8_t>(~(*word.touched >> 4));
    }
}

inline void write_slice(State& s, std::uint32_t offset, const void* from, std::uint32_t bytes) {
    const SliceWord word = slice_word(s, offset);
    if (!word.data) return;
    std::memcpy(word.data + offset % 4, from, bytes);
    if (word.touched) *word.touched |= static_cast<std::uint8_t>(((1U << bytes) - 1) << (offset % 4 + 4));
}

// Of an address that is aligned. False where there is no memory.
template <class T>
bool load(const State& s, std::uint32_t address, T& value) {
    if (in_tcm(s, address, sizeof(T))) {
        std::memcpy(&value, s.tcm.data() + (address - TRNSIM_TCM_BASE), sizeof(T));
        return true;
    }
    if (!in_slice(s, address)) return false;
    read_slice(s, address - TRNSIM_SLICE_BASE, &value, sizeof(T));
    return true;
}

template <class T>
bool store(State& s, std::uint32_t address, T value) {
    if (in_tcm(s, address, sizeof(T))) {
        const std::uint32_t offset = address - TRNSIM_TCM_BASE;
        std::memcpy(s.tcm.data() + offset, &value, sizeof(T));
        if (s.code[offset / 64] != 0) s.forget(offset / 64);
        return true;
    }
    if (!in_slice(s, address)) return false;
    write_slice(s, address - TRNSIM_SLICE_BASE, &value, sizeof(T));
    return true;
}

}  // namespace trnsim::rv32
