// The elements of an operand, a chunk of every partition at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "model/values/kernels/kernels.hpp"
#include "model/values/operand.hpp"

namespace trnsim::fast {

class Stream {
  public:
    // Both must outlive the stream.
    Stream(const Operand& operand, Memories& memories)
        : operand_(operand), memories_(memories), walk_(operand) {}

    // Advances to the next `count` elements of every partition, at most kernels::ChunkElements.
    void next(std::size_t count);

    // Returns the chunk's elements in a partition, in order; valid until the next call for this stream.
    const std::uint8_t* elements(std::uint32_t row);
    void widen(std::uint32_t row, float* to) { kernels::widen(operand_.dtype, elements(row), to, count_); }
    void bits(std::uint32_t row, std::uint32_t* to) {
        kernels::widen_bits(operand_.size, elements(row), to, count_);
    }

    // Writes the chunk in a partition: storage bits, or fp32 values rounded with draws[i * kernels::Lanes]
    // or, if that is null, to nearest even. Returns whether a NaN was written.
    bool put(std::uint32_t row, const std::uint8_t* elements);
    bool put(std::uint32_t row, const float* values, const std::uint32_t* draws);
    // Writes only elements `indices` of the chunk, from as many consecutive elements.
    bool put_some(std::uint32_t row, std::span<const std::uint16_t> indices, const std::uint8_t* elements);

  private:
    MemoryAddress place(std::uint32_t row) const {
        MemoryAddress place = operand_.row(row);
        place.offset += static_cast<std::uint32_t>(dense_offset_);
        return place;
    }
    void scatter(std::uint32_t row, std::span<const std::int32_t> offsets, const std::uint8_t* elements);

    const Operand& operand_;
    Memories& memories_;
    Walk walk_;
    std::size_t count_ = 0;
    std::size_t dense_offset_ = 0;                                // offset of the chunk, bytes
    std::array<std::int32_t, kernels::ChunkElements> offsets_{};  // bytes from the first, unless dense
    alignas(kernels::Padding) std::array<std::uint8_t, 4 * kernels::ChunkElements + kernels::Padding> buffer_;
};

}  // namespace trnsim::fast
