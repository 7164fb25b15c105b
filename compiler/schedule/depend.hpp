// The steps of a straight list that others need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/schedule/lives.hpp"

namespace trnsim::schedule {

// Bytes of a row of each tensor in HBM, as places in tensors are compared: rows, and bytes within.
using Rows = std::vector<std::uint64_t>;

// Steps that are issued one after the other, by their places in the list: a load of weights and its multiplications.
struct Unit {
    std::uint32_t first = 0, end = 0;
};

struct Dependences {
    std::vector<Unit> units;
    // By unit: how many it needs, and who needs it.
    std::vector<std::uint32_t> needs;
    std::vector<std::vector<std::uint32_t>> needed_by;
};

// The steps have no loops. Units that are `horizon` or more before another one are not named: nobody brings a unit
// forward so far. So every pass over what was accessed ends, however many steps there are.
Dependences depend(std::span<const builder::Step> steps, const Lives& lives, const Rows& rows,
                   std::uint32_t horizon);

}  // namespace trnsim::schedule
