// The matrix of a packet that transposes: rows are read, columns are written (docs/dma.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/dma/elements.hpp"
#include "model/dma/registers.hpp"
#include "model/protocol/types.hpp"

namespace trnsim::tlm::dma {

// What the buffer of an engine holds: elements of the matrix of one packet, of 1, 2 or 4 bytes.
constexpr std::uint32_t MaxTransposedElements = 4096;

// Elements leave the buffer one by one, this far apart. No figure of the hardware is public.
constexpr Time TransposeInterval = 1'000'000;

// The address field of a descriptor that says what is transposed.
constexpr std::uint64_t transpose_shape(std::uint32_t rows, std::uint32_t columns,
                                        std::uint32_t element_bytes) {
    return std::uint64_t{element_bytes} << 32 | std::uint64_t{columns} << 16 | rows;
}

class Transposition {
  public:
    // The shape comes first, then what is read. Each returns what is wrong with a descriptor; empty: nothing.
    std::string take_shape(const Descriptor& descriptor, bool first);
    std::string take_source(const Descriptor& descriptor, Operation operation);

    bool used() const { return element_bytes_ != 0; }

    // Rows that have been read, cut anywhere; returns whether the matrix is whole.
    bool arrived(std::span<const std::uint8_t> bytes);
    // The whole matrix by columns, once.
    std::vector<std::uint8_t> take_columns();

    // From the write of `bytes` to the next; 0 where nothing is transposed.
    Time write_time(std::uint32_t bytes) const {
        return used() ? TransposeInterval * bytes / element_bytes_ : 0;
    }

  private:
    std::uint64_t bytes() const { return std::uint64_t{rows_} * columns_ * element_bytes_; }

    std::uint32_t rows_ = 0, columns_ = 0, element_bytes_ = 0;
    std::uint64_t asked_for_ = 0;  // bytes of the descriptors so far
    std::vector<std::uint8_t> matrix_;
};

}  // namespace trnsim::tlm::dma
