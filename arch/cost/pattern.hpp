// 4-D address patterns: shape and steps.
#pragma once

#include <cstdint>

#include "arch/cost/figures.hpp"
#include "isa/operands.hpp"

namespace trnsim::cost {

using isa::Counts;  // none is 0
using isa::Steps;

constexpr std::uint64_t elements_of(const Counts& count) {
    return std::uint64_t{count[0]} * count[1] * count[2] * count[3];
}

// Returns whether a port takes two cycles for each element; the step of the innermost dimension with several
// elements decides.
constexpr bool is_far(const Counts& count, const Steps& step, unsigned element_bytes) {
    for (unsigned d = 0; d < 4; ++d) {
        if (count[d] == 1) continue;
        const std::int64_t bytes = std::int64_t{step[d]} * element_bytes;
        return (bytes < 0 ? -bytes : bytes) > figure(Figure::FarBytes);
    }
    return false;
}

}  // namespace trnsim::cost
