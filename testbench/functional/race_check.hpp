// Finds accesses to one memory that nothing orders.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "testbench/functional/clocks.hpp"

namespace trnsim::functional {

// The agent that makes an access, at its own time, with what it knows to have happened before.
struct Actor {
    std::size_t agent;
    std::uint32_t time;
    const Clock* clock;
    bool in_order = false;  // ordered after its own accesses at this time
};

// Two accesses to a byte, one of them a write, must be ordered: the actor of the later one knows the earlier
// one. The result does not depend on which of the two comes first here. An actor without its own time in
// its clock is not ordered with itself either: a transfer that reads or writes a byte it has written is
// found, unless it says that it works in order.
class RaceCheck {
  public:
    explicit RaceCheck(std::uint64_t bytes);

    struct Race {
        std::uint64_t byte;
        std::size_t agent;  // agent of the other access
        std::uint32_t time;
        bool write;  // true if the other access is a write
    };
    // Note an access to the bytes [first, end). Return the first byte where an earlier access is not ordered
    // with it.
    std::optional<Race> read(std::uint64_t first, std::uint64_t end, const Actor& actor);
    std::optional<Race> write(std::uint64_t first, std::uint64_t end, const Actor& actor);

    // Returns the first of the bytes [first, end) that nothing has written.
    std::optional<std::uint64_t> unwritten(std::uint64_t first, std::uint64_t end) const;

  private:
    struct Access {
        std::size_t agent;
        std::uint32_t time;
    };
    // The last write and the set of reads since then: an index in accesses_ and one in sets_, 0 for none.
    struct Cell {
        std::uint32_t write = 0, reads = 0;
    };
    static constexpr std::uint64_t PageBytes = 1024;
    using Page = std::array<Cell, PageBytes>;
    using Set = std::vector<std::uint32_t>;  // indices in accesses_

    std::uint32_t number_of(const Actor& actor);
    std::uint32_t with_read(std::uint32_t set, std::uint32_t access, const Actor& actor);
    bool known(std::uint32_t access, const Actor& actor) const {
        const Access& other = accesses_[access];
        return (*actor.clock)[other.agent] >= other.time ||
               (actor.in_order && other.agent == actor.agent && other.time == actor.time);
    }
    std::optional<std::uint32_t> unknown_in(std::uint32_t set, const Actor& actor) const;
    std::optional<Race> unordered_write(std::uint64_t byte, const Cell& cell, const Actor& actor) const;
    Cell& cell(std::uint64_t byte);

    std::vector<std::unique_ptr<Page>> pages_;
    std::vector<Access> accesses_{{0, 0}};
    std::vector<Set> sets_{{}};
    std::unordered_map<std::uint32_t, std::uint32_t> added_;  // by set: that set with the newest access
};

}  // namespace trnsim::functional
