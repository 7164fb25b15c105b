// Accesses of a core to its TCM and its slice of SBUF.
#pragma once

#include "model/rv32/state.hpp"

namespace trnsim::rv32 {

// A word of the slice; null data: there is none.
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
    const std::size_t word = (std::size_t{partition} * s.slice.partition_bytes + byte) / 4;
    return {s.slice.data + partition * s.slice.pitch + byte,
            s.slice.touched ? s.slice.touched + word : nullptr};
}

inline void mark_read(std::uint8_t& touched, std::uint32_t bytes) {
    touched |= static_cast<std::uint8_t>(bytes & ~(touched >> 4U));
}
inline void mark_written(std::uint8_t& touched, std::uint32_t bytes) {
    touched |= static_cast<std::uint8_t>(bytes << 4);
}

inline void read_slice(const State& s, std::uint32_t offset, void* to, std::uint32_t bytes) {
    const SliceWord word = slice_word(s, offset);
    if (!word.data) {
        std::memset(to, 0, bytes);
        return;
    }
    std::memcpy(to, word.data + offset % 4, bytes);
    if (word.touched) mark_read(*word.touched, ((1U << bytes) - 1) << offset % 4);
}

inline void write_slice(State& s, std::uint32_t offset, const void* from, std::uint32_t bytes) {
    const SliceWord word = slice_word(s, offset);
    if (!word.data) return;
    std::memcpy(word.data + offset % 4, from, bytes);
    if (word.touched) mark_written(*word.touched, ((1U << bytes) - 1) << offset % 4);
}

// The words of all partitions at one place in each of them: 64 bytes, from `offset` on.
constexpr std::uint32_t RowBytes = 4 * TRNSIM_SLICE_PARTITIONS;
template <bool IsStore>
void move_row(State& s, std::uint32_t offset, std::uint8_t* registers) {
    const Slice& slice = s.slice;
    const std::uint32_t byte = offset / RowBytes * 4;
    const std::uint32_t partitions = byte < slice.partition_bytes ? slice.partitions : 0;
    for (std::uint32_t k = 0; k < partitions; ++k) {
        std::uint8_t* const word = slice.data + k * slice.pitch + byte;
        std::memcpy(IsStore ? word : registers + std::size_t{4} * k,
                    IsStore ? registers + std::size_t{4} * k : word, 4);
    }
    if (!IsStore)
        std::memset(registers + std::size_t{4} * partitions, 0, RowBytes - std::size_t{4} * partitions);
    if (!slice.touched) return;
    for (std::uint32_t k = 0; k < partitions; ++k) {
        std::uint8_t& touched = slice.touched[(std::size_t{k} * slice.partition_bytes + byte) / 4];
        IsStore ? mark_written(touched, 15) : mark_read(touched, 15);
    }
}

// Loads from an aligned address. Returns false if there is no memory.
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
