// The bytes of a partition that are in use at each step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace trnsim::schedule {

// A segment tree: each call takes a time that is logarithmic in the number of steps.
class Pressure {
  public:
    explicit Pressure(std::uint32_t steps) {
        while (leaves_ < steps) leaves_ *= 2;
        nodes_.resize(2 * std::size_t{leaves_});
    }

    // Adds bytes at the steps `first` to `last`.
    void add(std::uint32_t first, std::uint32_t last, std::uint64_t bytes) {
        add(1, {0, leaves_ - 1}, {first, last}, bytes);
    }
    // Takes back what an add() has added.
    void remove(std::uint32_t first, std::uint32_t last, std::uint64_t bytes) { add(first, last, -bytes); }
    // Returns the most bytes at one of the steps.
    std::uint64_t most(std::uint32_t first, std::uint32_t last) const {
        return most(1, {0, leaves_ - 1}, {first, last});
    }

  private:
    struct Steps {
        std::uint32_t first, last;

        bool is_apart_from(const Steps& other) const { return last < other.first || other.last < first; }
        bool is_within(const Steps& other) const { return other.first <= first && last <= other.last; }
        Steps half(bool upper) const {
            const std::uint32_t middle = first + (last - first) / 2;
            return upper ? Steps{middle + 1, last} : Steps{first, middle};
        }
    };
    struct Node {
        std::uint64_t all = 0, most = 0;  // bytes at all of its steps; the most in it, without those above it
    };

    void add(std::size_t node, const Steps& steps, const Steps& where, std::uint64_t bytes) {
        if (steps.is_apart_from(where)) return;
        if (steps.is_within(where)) {
            nodes_[node].all += bytes;
            nodes_[node].most += bytes;
            return;
        }
        for (const bool upper : {false, true})
            add(2 * node + (upper ? 1 : 0), steps.half(upper), where, bytes);
        nodes_[node].most = nodes_[node].all + std::max(nodes_[2 * node].most, nodes_[2 * node + 1].most);
    }

    std::uint64_t most(std::size_t node, const Steps& steps, const Steps& where) const {
        if (steps.is_apart_from(where)) return 0;
        if (steps.is_within(where)) return nodes_[node].most;
        return nodes_[node].all + std::max(most(2 * node, steps.half(false), where),
                                           most(2 * node + 1, steps.half(true), where));
    }

    std::uint32_t leaves_ = 1;
    std::vector<Node> nodes_;
};

}  // namespace trnsim::schedule
