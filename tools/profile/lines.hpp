// Where the cycles went by line of the kernel's source: that of the calls which the instructions come from.
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
    std::string file;  // as the builder noted it
    std::uint32_t line = 0;
    std::uint64_t instructions = 0;
    std::uint64_t active_cycles = 0;  // in which an instruction of the line executes
    std::uint64_t wait_cycles = 0;    // that an engine was at rest before one
    std::set<isa::Engine> engines;
};

// By file and line; empty for a package whose builder noted none.
std::vector<LineProfile> lines_of(const Profile& profile, const neff::Package& package);

// The source with cycles beside each line that has some, where the file can be read, else the lines' places.
std::string lines_text(const std::vector<LineProfile>& lines);

Table lines_table(const std::vector<LineProfile>& lines);

}  // namespace trnsim::profile
