// The members of a state, listed once in the order of the file: archive(writer, state) appends them,
// archive(reader, state) takes them. Integers are little-endian; the length of a vector precedes it.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "arch/checkpoint/system_state.hpp"

namespace trnsim::checkpoint {

class Writer {
  public:
    void bytes(void* data, std::size_t size) {
        const auto* from = static_cast<const std::uint8_t*>(data);
        data_.insert(data_.end(), from, from + size);
    }
    std::uint64_t length(std::uint64_t size) {
        bytes(&size, sizeof size);
        return size;
    }
    std::vector<std::uint8_t>& data() { return data_; }

  private:
    std::vector<std::uint8_t> data_;
};

// Throws Error if fewer bytes are left than the state needs.
class Reader {
  public:
    explicit Reader(std::span<const std::uint8_t> data) : left_(data) {}
    void bytes(void* data, std::size_t size) {
        if (size > left_.size()) throw Error("it ends before the state does");
        std::memcpy(data, left_.data(), size);
        left_ = left_.subspan(size);
    }
    // Returns the number of elements of a container, which have at least a byte each.
    std::uint64_t length(std::uint64_t) {
        std::uint64_t size = 0;
        bytes(&size, sizeof size);
        if (size > left_.size()) throw Error("it ends before the state does");
        return size;
    }
    bool ended() const { return left_.empty(); }

  private:
    std::span<const std::uint8_t> left_;
};

inline bool is_legal(Run value) {
    return value <= Run::Halted;
}
inline bool is_legal(isa::ActivationSet value) {
    return !isa::name_of(value).empty();
}

template <typename A, std::integral T>
void archive(A& a, T& value) {
    a.bytes(&value, sizeof value);
}
template <typename A>
void archive(A& a, bool& value) {
    std::uint8_t byte = value ? 1 : 0;
    a.bytes(&byte, sizeof byte);
    if (byte > 1) throw Error("it has another byte where 0 or 1 is expected");
    value = byte != 0;
}
template <typename A, typename T>
requires std::is_enum_v<T>
void archive(A& a, T& value) {
    auto number = static_cast<std::underlying_type_t<T>>(value);
    a.bytes(&number, sizeof number);
    value = static_cast<T>(number);
    if (!is_legal(value)) throw Error("it has a number that names no state of an engine or set of tables");
}
template <typename A, typename T, std::size_t N>
void archive(A& a, std::array<T, N>& values);
template <typename A, typename T>
void archive(A& a, std::vector<T>& values);
template <typename A, typename... T>
void archive_all(A& a, T&... members) {
    (archive(a, members), ...);
}

template <typename A>
void archive(A& a, std::string& text) {
    text.resize(a.length(text.size()));
    a.bytes(text.data(), text.size());
}
template <typename A>
void archive(A& a, SequencerState& s) {
    archive_all(a, s.run, s.pc, s.completed, s.registers, s.program, s.length);
}
template <typename A>
void archive(A& a, StationaryState& s) {
    archive_all(a, s.valid, s.wide, s.low, s.rows, s.columns, s.high, s.low_parts);
}
template <typename A>
void archive(A& a, GpsimdCoreState& s) {
    archive_all(a, s.runs, s.pc, s.scalars, s.vectors, s.csrs, s.memory);
}
template <typename A>
void archive(A& a, CoreState& s) {
    archive_all(a, s.sequencers, s.started, s.semaphores, s.events, s.stochastic, s.seed, s.numeric.engines,
                s.numeric.engine, s.numeric.opcode, s.numeric.pc, s.sbuf, s.psum, s.sums, s.sbuf_written,
                s.psum_written, s.row_tile, s.column_tile, s.stationaries, s.vector.accumulators,
                s.vector.rounding, s.scalar.accumulators, s.scalar.rounding, s.random, s.shuffle_mask,
                s.tables.set, s.tables.rows, s.tables.exponents, s.gpsimd.request, s.gpsimd.trapped,
                s.gpsimd.cores);
}
template <typename A>
void archive(A& a, RingState& s) {
    archive_all(a, s.base, s.size, s.place, s.wraps);
}
template <typename A>
void archive(A& a, DmaEngineState& s) {
    archive_all(a, s.rounding_control, s.rounding_seed, s.m2s, s.s2m);
}
template <typename A>
void archive(A& a, SlotState& s) {
    archive_all(a, s.slot, s.core, s.dma);
}
template <typename A>
void archive(A& a, PageState& s) {
    archive_all(a, s.number, s.bytes);
}
template <typename A>
void archive(A& a, CollectiveCoreState& s) {
    archive_all(a, s.running, s.next, s.flags);
}
template <typename A>
void archive(A& a, ChipState& s) {
    archive_all(a, s.number, s.slots, s.hbm, s.collective_cores);
}
template <typename A>
void archive(A& a, SystemState& s) {
    archive_all(a, s.identity.configuration, s.identity.kernel, s.identity.placement, s.begun, s.time,
                s.chips);
}

template <typename A, typename T, std::size_t N>
void archive(A& a, std::array<T, N>& values) {
    for (T& value : values) archive(a, value);
}
template <typename A, typename T>
void archive(A& a, std::vector<T>& values) {
    const std::uint64_t size = a.length(values.size());
    if constexpr (std::integral<T>) {
        values.resize(size);
        a.bytes(values.data(), values.size() * sizeof(T));
    } else {
        // Elements are made one by one: they may be many times as large as their least number of bytes.
        if (values.size() > size) values.resize(size);
        for (std::uint64_t i = 0; i < size; ++i)
            archive(a, i < values.size() ? values[i] : values.emplace_back());
    }
}

}  // namespace trnsim::checkpoint
