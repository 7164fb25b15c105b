// How often a matmul runs over its moving operand.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/instruction.hpp"

namespace trnsim::isa {

// Takes the Tensor engine's instructions in order. A multiply_moving makes a pass for each pair of parts of
// its operands, the stationary one being that loaded last; an fp32 operand has a high and a low part, unless
// it is said to hold only 0 and 1, any other one part.
class MatmulPasses {
  public:
    unsigned next(const Instruction& instruction);

  private:
    unsigned stationary_parts_ = 1;
};

// Tensor cycles of one pass over so many moving columns; `columns` are those of the stationary operand.
constexpr std::uint64_t pass_cycles(std::uint64_t columns, std::uint64_t moving) {
    constexpr std::uint64_t Least = 64;
    return std::max(std::min(Least, columns), moving);
}

}  // namespace trnsim::isa
