// The indices of a packet that gathers or scatters: they select the rows that its descriptors read or write
// (docs/dma.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/dma/encodings.hpp"

namespace trnsim::tlm::dma {

class Indices {
  public:
    // Descriptors come in this order: step, bounds, indices, rows. Each call returns an error text; empty: no
    // error.
    std::string take_step(const Descriptor& descriptor, bool first);
    std::string take_bounds(const Descriptor& descriptor);
    std::string take_index(const Descriptor& descriptor, std::uint32_t number_in_ring);
    std::string take_row(std::uint32_t meta) const;

    bool used() const { return stage_ != Stage::None; }
    bool skip() const { return skip_; }
    bool wait() const { return wait_; }
    unsigned count() const { return static_cast<unsigned>(entries_.size()); }

    void arrived(unsigned number, std::span<const std::uint8_t> bytes);
    bool there() const { return missing_ == 0; }

    struct Entry {
        std::uint64_t address;     // address of the index
        std::uint32_t descriptor;  // number in the ring
        std::int32_t value = 0;
    };
    // Returns the first index that is out of bounds and not to be skipped, or null.
    const Entry* bad() const;
    std::string describe(const Entry& entry) const;  // "index 7 is out of bounds, expected 0 to 5"

    // They take a meta word: the first returns whether its index is in bounds, the second the offset of its
    // row from the address of the descriptor.
    bool in_bounds(std::uint32_t meta) const;
    std::uint64_t offset(std::uint32_t meta) const;

  private:
    enum class Stage : std::uint8_t { None, Step, Bounds, Rows };
    bool in_bounds(const Entry& entry) const { return first_ <= entry.value && entry.value <= last_; }

    Stage stage_ = Stage::None;
    bool skip_ = false, wait_ = false;
    std::uint64_t step_ = 0;  // bytes, two's complement
    std::int32_t first_ = 0, last_ = 0;
    unsigned missing_ = 0;
    std::vector<Entry> entries_;
};

}  // namespace trnsim::tlm::dma
