// Dependences between the steps of a list without loops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/schedule/lives.hpp"

namespace trnsim::schedule {

// Bytes of a row of each tensor in HBM: places in tensors are compared by rows, and by bytes within a row.
using Rows = std::vector<std::uint64_t>;

// Consecutive steps, by their places in the list: a load of weights and its multiplications.
struct Unit {
    std::uint32_t first = 0, end = 0;
};

struct Dependences {
    std::vector<Unit> units;
    // By unit: the number of units that it needs, and the units that need it.
    std::vector<std::uint32_t> needs;
    std::vector<std::vector<std::uint32_t>> needed_by;
};

// The steps have no loops. Units that are `horizon` or more before another one are left out: no unit is
// brought forward that far. So the search through earlier accesses is bounded for any number of steps.
Dependences depend(std::span<const builder::Step> steps, const Lives& lives, const Rows& rows,
                   std::uint32_t horizon);

}  // namespace trnsim::schedule
