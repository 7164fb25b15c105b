#include "compiler/schedule/allocate.hpp"

#include <algorithm>
#include <array>

namespace trnsim::schedule {

using builder::Access;
using builder::Step;
using builder::Tile;
using target::Memory;

namespace {

using Ends = std::array<std::uint64_t, 2>;  // index: Memory

// Finds the end of the tiles that the author has placed, in each memory.
void find_ends(const std::vector<Step>& steps, Ends& ends) {
    for (const Step& step : steps) {
        if (step.loop) find_ends(step.loop->body, ends);
        for (const Access& access : step.accesses) {
            const Tile* tile = access.tile();
            if (tile == nullptr || tile->buffer != 0) continue;
            std::uint64_t& end = ends.at(static_cast<std::size_t>(tile->memory));
            end = std::max(end, tile->end_byte());
        }
    }
}

// Lives that have a place, by time: each is in every span of time that it reaches.
class Calendar {
  public:
    explicit Calendar(std::uint32_t end) : spans_(end / Width + 1) {}

    void add(const Life& life, std::uint64_t bytes) {
        for (std::uint32_t span = life.first / Width; span <= life.last / Width; ++span)
            spans_[span].push_back({life.first, life.last, life.byte, life.byte + bytes});
    }

    // Returns the bytes that are taken at some time of a life, sorted by their beginning.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> beside(const Life& life) const {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> bytes;
        for (std::uint32_t span = life.first / Width; span <= life.last / Width; ++span) {
            for (const Entry& entry : spans_[span])
                if (entry.first <= life.last && life.first <= entry.last)
                    bytes.emplace_back(entry.byte, entry.end);
        }
        std::ranges::sort(bytes);
        return bytes;
    }

  private:
    static constexpr std::uint32_t Width = 64;
    struct Entry {
        std::uint32_t first, last;
        std::uint64_t byte, end;
    };
    std::vector<std::vector<Entry>> spans_;
};

// The measure by which lives get places where memory is scarce: bytes, steps, and both together. None is best
// for all kernels.
using Order = std::uint64_t (*)(const Life& life, std::uint64_t bytes);

constexpr Order Orders[] = {
    [](const Life&, std::uint64_t bytes) { return bytes; },
    [](const Life& life, std::uint64_t) { return std::uint64_t{life.last} - life.first; },
    [](const Life& life, std::uint64_t bytes) { return bytes * (std::uint64_t{life.last} - life.first + 1); },
};

class Allocation {
  public:
    Allocation(Lives& lives, Memory memory, const Limits& limits, std::uint64_t first)
        : lives_(lives), limits_(limits), line_(memory == Memory::Psum ? limits.bank : 0), first_(first) {
        for (std::uint32_t life = 0; life < lives.all().size(); ++life)
            if (lives.buffer_of(life).memory == memory) own_.push_back(life);
    }

    std::optional<std::uint32_t> run() {
        const auto stuck = in_turns();
        const bool fits =
            !stuck || std::ranges::any_of(Orders, [this](Order order) { return in_order(order); });
        return fits ? std::nullopt : stuck;
    }

  private:
    std::uint64_t limit_of(std::uint32_t life) const {
        const builder::Buffer& buffer = lives_.buffer_of(life);
        if (buffer.memory == Memory::Psum) return limits_.psum;
        return buffer.own ? limits_.own : limits_.sbuf;
    }

    std::optional<std::uint32_t> in_turns() {
        std::ranges::stable_sort(own_, {}, [this](std::uint32_t life) { return lives_.all()[life].first; });
        Turns turns(first_, line_);
        for (const std::uint32_t number : own_) {
            Life& life = lives_.all()[number];
            const auto byte =
                turns.take(lives_.buffer_of(number).bytes, limit_of(number), life.first, life.last);
            if (!byte) return number;
            life.byte = static_cast<std::uint32_t>(*byte);
        }
        return std::nullopt;
    }

    // Gives each life the lowest bytes that are free all the time of the life, those of the greatest measure
    // first. If memory is scarce, this needs less of it than turns do.
    bool in_order(Order measure) {
        std::ranges::stable_sort(own_, std::ranges::greater{}, [&](std::uint32_t life) {
            return measure(lives_.all()[life], lives_.buffer_of(life).bytes);
        });
        std::uint32_t end = 0;
        for (const std::uint32_t life : own_) end = std::max(end, lives_.all()[life].last);
        Calendar calendar(end);
        for (const std::uint32_t number : own_) {
            Life& life = lives_.all()[number];
            const std::uint64_t bytes = lives_.buffer_of(number).bytes;
            const auto byte = lowest(calendar.beside(life), bytes, limit_of(number));
            if (!byte) return false;
            life.byte = static_cast<std::uint32_t>(*byte);
            calendar.add(life, bytes);
        }
        return true;
    }

    std::optional<std::uint64_t> lowest(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& taken,
                                        std::uint64_t bytes, std::uint64_t limit) const {
        std::uint64_t at = first_;
        for (const auto& [first, end] : taken) {
            if (first > at)
                if (const auto byte = fit(at, std::min(first, limit), bytes, 0, line_)) return byte;
            at = std::max(at, end);
        }
        return fit(at, limit, bytes, 0, line_);
    }

    Lives& lives_;
    const Limits& limits_;
    std::uint64_t line_, first_;
    std::vector<std::uint32_t> own_;
};

}  // namespace

std::optional<std::uint32_t> allocate(const std::vector<Step>& steps, Lives& lives, const Limits& limits) {
    Ends ends{};
    find_ends(steps, ends);
    for (const Memory memory : {Memory::Sbuf, Memory::Psum}) {
        const std::uint64_t first = ends.at(static_cast<std::size_t>(memory));
        if (const auto stuck = Allocation(lives, memory, limits, first).run()) return stuck;
    }
    return std::nullopt;
}

}  // namespace trnsim::schedule
