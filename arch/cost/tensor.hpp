// The Tensor engine in closed form (docs/tensor-engine.md). Cycles of its clock.
#pragma once

#include "arch/config/config.hpp"
#include "arch/cost/cycles.hpp"
#include "arch/cost/tensor_command.hpp"

namespace trnsim::cost {

// Returns the cycles of one pass of a matmul over `moving` elements whose steps are at most 16 bytes, in an
// array whose utilisation has no limit; the stationary operand has `columns`.
constexpr std::uint64_t pass_cycles(std::uint64_t columns, std::uint64_t moving) {
    return std::max(std::min<std::uint64_t>(figure(Figure::PassInterval), columns), moving);
}

// `passes` is the result of isa::MatmulPasses. A load occupies the port of the stationary operand while a
// matmul may occupy the array. A load after a matmul delays the next matmul only by the cycles in which it
// outlasts the one before it, and by the cycle in which it starts.
Cycles tensor_cycles(const TensorCommand& command, const config::Core& core, unsigned passes);

}  // namespace trnsim::cost
