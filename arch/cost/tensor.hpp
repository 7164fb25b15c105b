// The Tensor engine in closed form (docs/tensor-engine.md). Cycles of its clock.
#pragma once

#include "arch/config/config.hpp"
#include "arch/cost/cycles.hpp"
#include "arch/cost/tensor_command.hpp"

namespace trnsim::cost {

// Cycles of one pass of a matmul over `moving` elements whose steps are at most 16 bytes; the stationary operand has `columns`.
constexpr std::uint64_t pass_cycles(std::uint64_t columns, std::uint64_t moving) {
    return std::max(std::min<std::uint64_t>(figure(Figure::PassInterval), columns), moving);
}

// `passes`: isa::MatmulPasses. A load occupies the port of the stationary operand, beside a matmul that occupies the array: behind a
// matmul it delays the next one only by what it takes beyond it, and by the cycle in which it starts.
Cycles tensor_cycles(const TensorCommand& command, const config::Core& core, unsigned passes);

}  // namespace trnsim::cost
