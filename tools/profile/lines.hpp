// Attributes cycles to lines of the kernel's source: the lines with the calls that emitted the instructions.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tools/profile/profile.hpp"
#include "tools/profile/tables.hpp"

namespace trnsim::profile {

// Cycles of all engines together.
struct LineProfile {
    std::string file;  // name that the builder noted
    std::uint32_t line = 0;
    std::uint64_t instructions = 0;
    std::uint64_t active_cycles = 0;  // in which an instruction of the line executes
    std::uint64_t wait_cycles = 0;    // in which an engine was at rest before one
    std::set<isa::Engine> engines;
};

// Returns lines by file and line number; empty for a package without source lines.
std::vector<LineProfile> lines_of(const Profile& profile, const neff::Package& package);

// Returns the source with cycles beside each line that has some; if the file cannot be read, only the lines'
// places.
std::string lines_text(const std::vector<LineProfile>& lines);

Table lines_table(const std::vector<LineProfile>& lines);

}  // namespace trnsim::profile
