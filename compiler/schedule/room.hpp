// The bytes of a partition that current lives take in each memory, while steps are put in order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/schedule/lives.hpp"
#include "compiler/schedule/memory.hpp"

namespace trnsim::schedule {

class Room {
  public:
    // `share` is the part of each memory that steps brought forward may take. It is 0 for a memory in which
    // the author has placed tiles: an author that plans places plans an order as well.
    Room(const std::vector<builder::Step>& steps, const Lives& lives, const Limits& limits, double share);

    // Returns whether the lives that the steps begin have room beside the current ones.
    bool fits(std::span<const builder::Step> steps);
    void issue(std::span<const builder::Step> steps);

  private:
    void count(const std::vector<builder::Step>& steps);
    std::size_t memory_of(std::uint32_t life) const {
        return static_cast<std::size_t>(lives_.buffer_of(life).memory);
    }

    const Lives& lives_;
    std::array<double, 2> limits_;
    std::array<std::uint64_t, 2> used_{};
    std::vector<std::uint32_t> left_;  // remaining accesses, by life
    std::vector<std::uint8_t> open_;   // by life
    std::vector<std::uint32_t> begun_;
};

}  // namespace trnsim::schedule
