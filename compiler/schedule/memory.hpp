// Free bytes of a memory, the same in every partition, over the time of a program.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <vector>

namespace trnsim::schedule {

// Bytes of a partition that lives may take in each memory; `own`: those of the builder's own buffers in SBUF; `bank`: no
// life in PSUM crosses a multiple of it.
struct Limits {
    std::uint64_t sbuf = 0, own = 0, psum = 0, bank = 0;
};

constexpr std::uint64_t Alignment = 64;

// The first byte at or after `start` of a gap at which `size` bytes fit, none crossing a multiple of `line` (0: of
// nothing) but from such a multiple on.
std::optional<std::uint64_t> fit(std::uint64_t first, std::uint64_t end, std::uint64_t size,
                                 std::uint64_t start, std::uint64_t line);

// Bytes in turns: what was freed last is taken last.
class Turns {
  public:
    // `line`: multiples of it are not crossed; 0: none. Bytes below `first` are not handed out.
    Turns(std::uint64_t first, std::uint64_t line);

    // Bytes for a life from `now` to `last`, below `limit`; lives are asked for in the order in which they begin.
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
    std::map<std::uint64_t, std::uint64_t> gaps_;  // end, by first byte
    std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken_;
};

}  // namespace trnsim::schedule
