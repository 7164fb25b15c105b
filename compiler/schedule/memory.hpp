// Free bytes of a memory, the same in every partition, over the time of a program.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <vector>

namespace trnsim::schedule {

// Bytes of a partition that lives may take in each memory; `own`: limit for the builder's own buffers in
// SBUF; `bank`: no life in PSUM crosses a multiple of it.
struct Limits {
    std::uint64_t sbuf = 0, own = 0, psum = 0, bank = 0;
};

constexpr std::uint64_t Alignment = 64;

// Returns the first byte at or after `start` of a gap [first, end) at which `size` bytes fit. They cross a
// multiple of `line` only if they begin at one; 0: no such limit.
std::optional<std::uint64_t> fit(std::uint64_t first, std::uint64_t end, std::uint64_t size,
                                 std::uint64_t start, std::uint64_t line);

// Bytes handed out in turns: the bytes freed last are reused last.
class Turns {
  public:
    // No life crosses a multiple of `line`; 0: no limit. Bytes below `first` are not handed out.
    Turns(std::uint64_t first, std::uint64_t line);

    // Takes bytes for a life from `now` to `last`, below `limit`. Call it in the order in which lives begin.
    std::optional<std::uint64_t> take(std::uint64_t size, std::uint64_t limit, std::uint32_t now,
                                      std::uint32_t last);

  private:
    std::optional<std::uint64_t> find(std::uint64_t size, std::uint64_t limit, std::uint64_t start) const;
    void give_back(std::uint64_t first, std::uint64_t end);

    struct Taken {
        std::uint32_t last;
        std::uint64_t first, end;
        bool operator>(const Taken& other) const { return last > other.last; }
    };
    std::uint64_t line_, next_ = 0;
    std::map<std::uint64_t, std::uint64_t> gaps_;  // key: first byte, value: end
    std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken_;
};

}  // namespace trnsim::schedule
