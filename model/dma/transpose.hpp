// The matrix of a packet that transposes: rows are read, columns are written (docs/dma.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arch/cost/transfer.hpp"
#include "model/dma/encodings.hpp"
#include "model/protocol/types.hpp"

namespace trnsim::tlm::dma {

// The interval between elements that leave the buffer one by one.
using cost::TransposeInterval;

class Transposition {
  public:
    // The shape comes first, then the sources. Each call returns an error text for a descriptor; empty: no
    // error.
    std::string take_shape(const Descriptor& descriptor, bool first);
    std::string take_source(const Descriptor& descriptor, Operation operation);

    bool used() const { return element_bytes_ != 0; }

    // Takes rows that have been read, cut anywhere; returns whether the matrix is whole.
    bool arrived(std::span<const std::uint8_t> bytes);
    // Returns the whole matrix by columns, once.
    std::vector<std::uint8_t> take_columns();

    // Returns the time from the write of `bytes` to the next; 0 if nothing is transposed.
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
