// A functional coverage plan: groups of bins, each counting the executed instructions of a kind
// (docs/regressions.md).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "testbench/coverage/measure.hpp"

namespace trnsim::coverage {

struct Bin {
    std::string name;
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

// One side of a cross; a value belongs to the first bin it fits.
struct Point {
    std::string name;
    const Measure* measure = nullptr;
    std::vector<Bin> bins{};
};

struct Group {
    std::string name;
    std::array<bool, 256> opcode{};  // instructions it counts
    std::uint8_t engines = 0xff;     // engines it counts, one bit each
    std::vector<Point> cross;        // the last point advances fastest
    std::size_t first = 0;           // index of its first bin in the plan
    std::size_t combinations = 0;    // number of combinations of bins of its points
    std::vector<bool> wanted;        // by combination
};

struct Plan {
    std::string name;
    std::vector<Group> groups;
    std::size_t combinations = 0;  // number for all groups: the length of hit counts
};

// Throws config::Error `file:line:column: ...`.
Plan read_plan(const std::filesystem::path& path);

// Keeps the groups with these names; with no names, keeps all.
Plan only(Plan plan, const std::vector<std::string>& groups);

// e.g. "tensor_copy, bf16, psum"
std::string bin_name(const Group& group, std::size_t combination);

}  // namespace trnsim::coverage
