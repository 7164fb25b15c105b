// The element that a recording is about: signals of its own say when it is written, what it should be and what
// it is, and a view opens there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/waves/signals.hpp"

namespace trnsim::waves {

inline constexpr const char* ElementScope = "element";

struct Element {
    std::string name;                        // e.g. "sbuf[9+0x40] of y [9, 16]"
    std::uint64_t cycle = 0;                 // core cycle of its write
    std::string expected, found;             // values as text, e.g. "0x3f80 (1)"
    std::optional<std::uint32_t> lane = {};  // its partition, if it is in SBUF or PSUM
};

// Returns its signals; `clock` is that of the core, Hz. Before the write they show nothing.
Scope scope_of(const Element& element, std::uint64_t clock);

// Returns the lines of a save file of GTKWave that show them.
std::vector<std::string> element_lines();

}  // namespace trnsim::waves
