// The order in which rings hold transfers.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/neff/package.hpp"

namespace trnsim::neff {

// A transfer in one iteration of its loop; 0 outside of loops.
struct Firing {
    std::uint32_t transfer = 0, iteration = 0;
    bool operator==(const Firing&) const = default;
};

// One cycle of a queue: its transfers in the order of their triggers in the owner's program; those of a loop
// follow each other in each iteration.
class RingOrder {
  public:
    // Consecutive transfers of the same loop, or of none.
    struct Section {
        std::uint64_t first = 0;  // place of its first firing
        std::optional<std::uint32_t> loop;
        std::uint32_t iterations = 1;
        std::vector<std::uint32_t> transfers;
    };

    void add(std::uint32_t transfer, std::optional<std::uint32_t> loop, std::uint32_t iterations);

    const std::vector<Section>& sections() const { return sections_; }
    std::uint64_t length() const;  // number of firings
    // Returns the firing at a place; places continue through further cycles. There must be one.
    Firing at(std::uint64_t place) const;

  private:
    std::vector<Section> sections_;
};

// Returns the order of each queue. Numbers of transfers, queues and loops must be valid.
std::vector<RingOrder> ring_orders(const Package& package);

// Returns the number of times that a transfer comes in a cycle of its queue.
std::uint32_t iterations_of(const Package& package, const Transfer& transfer);
// Return a pattern in one iteration, and the transfer of one iteration: without a loop.
Pattern at_iteration(const Pattern& pattern, std::uint32_t iteration);
Transfer at_iteration(const Transfer& transfer, std::uint32_t iteration);

}  // namespace trnsim::neff
