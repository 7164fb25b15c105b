// The timing edges: which command may follow which how soon. One table holds all of them (docs/hbm.md lists
// it).
#pragma once

#include <span>
#include <string_view>

#include "arch/config/dram_timing.hpp"
#include "model/hbm/command.hpp"

namespace trnsim::tlm::hbm {

// Between which two commands an edge holds.
enum class Scope : std::uint8_t {
    Bank,    // of the same bank
    Group,   // of banks of the same group
    Pseudo,  // of the same pseudo channel
};

// Commands, a bit each.
using CommandSet = std::uint16_t;
constexpr CommandSet set_of(Command command) {
    return static_cast<CommandSet>(1U << static_cast<unsigned>(command));
}
constexpr bool contains(CommandSet set, Command command) {
    return (set & set_of(command)) != 0;
}

// A command of `to` comes at least `distance` after each command of `from`; with `nth`, after the nth last.
struct Edge {
    CommandSet from, to;
    Scope scope;
    std::string_view text;  // the distance in JEDEC's names
    Cycle (*distance)(const config::DramTiming&);
    unsigned nth = 1;
};

std::span<const Edge> edges();

// Names of a set, with commas in between.
std::string text_of(CommandSet set);

}  // namespace trnsim::tlm::hbm
