// The parts of a trace: tracks with slices, flows between them, counters. The writer of a file implements
// them.
//
// Times are femtoseconds of simulated time, start <= end. Slices of one track come in the order of their ends
// and may overlap.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace trnsim::runtime {

// One figure of a slice. The text is valid only during the call.
struct Argument {
    std::string_view name;
    std::variant<std::uint64_t, std::string_view> value;
};

class Tracks {
  public:
    virtual ~Tracks() = default;

    // Adds a track: `group` is the unit ("chip 0 dma 3"), `name` the line in it ("ring 0"). Returns its
    // handle.
    virtual std::uint32_t add_track(std::string_view group, std::string_view name) = 0;

    virtual void slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
                       std::span<const Argument> arguments) = 0;

    // Adds an event that takes no time.
    virtual void instant(std::uint32_t track, std::string_view name, std::uint64_t time) = 0;

    // The end of an event on one track lets an event on another one continue.
    virtual void flow(std::uint32_t from_track, std::uint64_t from, std::uint32_t to_track,
                      std::uint64_t to) = 0;

    // Changes a counter by an amount; it begins at 0. The times may come in any order.
    virtual void change(std::string_view counter, std::uint64_t time, double by) = 0;
};

}  // namespace trnsim::runtime
