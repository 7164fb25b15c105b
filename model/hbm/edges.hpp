// The timing edges: the shortest distances between commands. One table holds all of them (docs/hbm.md lists
// it).
#pragma once

#include <span>
#include <string_view>

#include "arch/config/dram_timing.hpp"
#include "model/hbm/command.hpp"

namespace trnsim::tlm::hbm {

// The commands between which an edge holds.
enum class Scope : std::uint8_t {
    Bank,    // to the same bank
    Group,   // to banks of the same group
    Pseudo,  // to the same pseudo channel
};

// A set of commands, one bit each.
using CommandSet = std::uint16_t;
constexpr CommandSet set_of(Command command) {
    return static_cast<CommandSet>(1U << static_cast<unsigned>(command));
}
constexpr bool contains(CommandSet set, Command command) {
    return (set & set_of(command)) != 0;
}

// A command of `to` comes at least `distance` after each command of `from`; with `nth`, after the nth last
// one.
struct Edge {
    CommandSet from, to;
    Scope scope;
    std::string_view text;  // the distance in JEDEC's names
    Cycle (*distance)(const config::DramTiming&);
    unsigned nth = 1;
};

std::span<const Edge> edges();

// Returns the names of a set, separated by commas.
std::string text_of(CommandSet set);

}  // namespace trnsim::tlm::hbm
