// The search begins with the rows as one set of cycles and the columns as another. If the two links of a
// square along rows are in one set and the two along columns in the other, the pairs change sides: each chip
// keeps two links of each set, and cycles join or part. Squares are drawn until each set is one cycle.
#include "compiler/collectives/torus.hpp"

#include <fmt/format.h>

#include <random>

#include "compiler/collectives/error.hpp"

namespace trnsim::collectives {
namespace {

using Cycle = std::vector<std::uint32_t>;

class TwoSets {
  public:
    TwoSets(std::uint32_t rows, std::uint32_t columns)
        : rows_(rows), columns_(columns), right_(chips(), 0), down_(chips(), 1) {}

    std::array<Cycle, 2> search() {
        // The seed is fixed so that the cycles are the same everywhere. Moves that join no cycles are taken
        // now and then, to leave dead ends.
        std::mt19937 random(1);
        constexpr unsigned TakeAnywayOnceIn = 8;
        std::size_t cycles = count(0) + count(1);
        while (cycles != 2) {
            const auto chip = static_cast<std::uint32_t>(random() % chips());
            if (!alternates(chip)) continue;
            change(chip);
            const std::size_t now = count(0) + count(1);
            if (now <= cycles || random() % TakeAnywayOnceIn == 0) {
                cycles = now;
            } else {
                change(chip);
            }
        }
        return {walk(0, 0), walk(1, 0)};
    }

  private:
    using Set = std::uint8_t;

    std::uint32_t right_of(std::uint32_t chip) const {
        return chip % columns_ + 1 == columns_ ? chip + 1 - columns_ : chip + 1;
    }
    std::uint32_t left_of(std::uint32_t chip) const {
        return chip % columns_ == 0 ? chip + columns_ - 1 : chip - 1;
    }
    std::uint32_t below(std::uint32_t chip) const { return (chip + columns_) % (rows_ * columns_); }
    std::uint32_t above(std::uint32_t chip) const {
        return (chip + (rows_ - 1) * columns_) % (rows_ * columns_);
    }

    // The square is to the right of and below the chip.
    bool alternates(std::uint32_t chip) const {
        const Set set = right_[chip];
        return right_[below(chip)] == set && down_[chip] != set && down_[right_of(chip)] != set;
    }
    void change(std::uint32_t chip) {
        for (Set* link : {&right_[chip], &right_[below(chip)], &down_[chip], &down_[right_of(chip)]})
            *link = 1 - *link;
    }

    Cycle walk(Set set, std::uint32_t start) const {
        Cycle cycle;
        std::uint32_t at = start, before = rows_ * columns_;
        do {
            cycle.push_back(at);
            std::uint32_t next = before;
            const auto look = [&](Set link, std::uint32_t to) {
                if (link == set && to != before) next = to;
            };
            look(right_[at], right_of(at));
            look(right_[left_of(at)], left_of(at));
            look(down_[at], below(at));
            look(down_[above(at)], above(at));
            before = at;
            at = next;
        } while (at != start);
        return cycle;
    }

    std::size_t chips() const { return std::size_t{rows_} * columns_; }

    std::size_t count(Set set) const {
        std::vector<bool> seen(chips());
        std::size_t cycles = 0;
        for (std::uint32_t chip = 0; chip < seen.size(); ++chip) {
            if (seen[chip]) continue;
            ++cycles;
            for (const std::uint32_t other : walk(set, chip)) seen[other] = true;
        }
        return cycles;
    }

    std::uint32_t rows_, columns_;
    std::vector<Set> right_, down_;  // the set of the link to the right chip, to the one below
};

}  // namespace

std::array<Cycle, 2> torus_cycles(std::uint32_t rows, std::uint32_t columns) {
    constexpr std::uint32_t Most = 64;  // chips of a side
    if (rows < 3 || columns < 3 || rows > Most || columns > Most)
        throw Error(
            fmt::format("torus: {} x {} chips, expected 3 x 3 to {} x {}", rows, columns, Most, Most));
    return TwoSets(rows, columns).search();
}

}  // namespace trnsim::collectives
