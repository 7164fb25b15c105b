// Sees when elements of SBUF or PSUM change: it looks at them after every cycle that a core evaluates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/core/core_model.hpp"

namespace trnsim::tlm {

class MemoryWatch {
  public:
    // An element of `bytes` bytes, at most 4, at a core-window address.
    struct Element {
        std::uint32_t address = 0, bytes = 0;
    };
    struct Change {
        std::size_t element = 0;  // index among the elements
        std::uint64_t cycle = 0;  // core cycle after which the memory has the value
        std::uint64_t value = 0;  // storage bits
    };

    explicit MemoryWatch(std::vector<Element> elements)
        : elements_(std::move(elements)), values_(elements_.size()) {}

    // Called after each cycle, in their order.
    void look(CoreModel& core, std::uint64_t cycle) {
        for (std::size_t i = 0; i < elements_.size(); ++i) {
            std::array<std::uint8_t, 4> bytes{};
            if (!core.debug_read(elements_[i].address, std::span(bytes).first(elements_[i].bytes))) continue;
            std::uint64_t value = 0;
            for (std::size_t k = 0; k < bytes.size(); ++k) value |= std::uint64_t{bytes[k]} << 8 * k;
            const std::optional<std::uint64_t> before = std::exchange(values_[i], value);
            if (before && *before != value) changes_.push_back({i, cycle, value});
        }
    }

    // Returns the changes so far, in the order of their cycles.
    const std::vector<Change>& changes() const { return changes_; }

  private:
    std::vector<Element> elements_;
    std::vector<std::optional<std::uint64_t>> values_;  // none before the first look
    std::vector<Change> changes_;
};

}  // namespace trnsim::tlm
