// Conversion between simulated time and cycles of a clock.
//
// A count of ticks at one rate becomes a count at another one: cycles of a clock are ticks at its frequency,
// femtoseconds are ticks at FsPerSecond. The product is exact, only the quotient is rounded; a quotient of
// more than 64 bits becomes the largest number of 64 bits.
#pragma once

#include <cstdint>
#include <limits>

#include "base/time/time.hpp"

namespace trnsim {

enum class Round { Down, Up };

// Returns ticks * to / from. Rates are in ticks a second, `from` is not 0.
constexpr std::uint64_t convert_ticks(std::uint64_t ticks, std::uint64_t from, std::uint64_t to,
                                      Round round) {
    __extension__ using Wide = unsigned __int128;
    constexpr std::uint64_t Largest = std::numeric_limits<std::uint64_t>::max();
    const Wide product = Wide{ticks} * to;
    const Wide quotient = (product + (round == Round::Up ? from - 1 : 0)) / from;
    return quotient > Largest ? Largest : static_cast<std::uint64_t>(quotient);
}

// Cycle n of a clock of `clock` Hz begins at n / clock seconds. Rounded down, the result is the cycle in
// which `time` (fs) lies; rounded up, it is the first cycle that does not begin before `time`.
constexpr std::uint64_t time_to_cycles(std::uint64_t time, std::uint64_t clock, Round round = Round::Down) {
    return convert_ticks(time, FsPerSecond, clock, round);
}

// Returns the beginning of a cycle, fs.
constexpr std::uint64_t cycles_to_time(std::uint64_t cycles, std::uint64_t clock, Round round = Round::Down) {
    return convert_ticks(cycles, clock, FsPerSecond, round);
}

}  // namespace trnsim
