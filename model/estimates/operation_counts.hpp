// Counts of what the engines of a core did, in operations that have an energy cost.
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.hpp"

namespace trnsim::estimates {

struct OperationCounts {
    static constexpr std::size_t Dtypes = 16;

    std::array<std::uint64_t, Dtypes> macs{};  // by data type of the moving operand
    std::uint64_t additions = 0;        // fp32, Vector and Scalar; includes comparisons, logic and moves
    std::uint64_t multiplications = 0;  // fp32, Vector and Scalar
    std::uint64_t sbuf_bytes = 0;       // bytes read and written by engines
    std::uint64_t psum_bytes = 0;

    std::uint64_t all_macs() const;
    bool operator==(const OperationCounts&) const = default;
};

// Adds what one execution of the instruction does. Addresses and shapes are those of the instruction itself:
// a register that moves an operand moves it within its memory. `passes` is isa::MatmulPasses of the moving
// operand of a multiply_moving.
void add(OperationCounts& work, const isa::Instruction& instruction, std::uint64_t passes = 1);

}  // namespace trnsim::estimates
