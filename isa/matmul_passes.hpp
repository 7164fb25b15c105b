// How often a matmul runs over its moving operand.
#pragma once

#include "isa/instruction.hpp"

namespace trnsim::isa {

// Takes the Tensor engine's instructions in order. A multiply_moving makes a pass for each pair of parts of
// its operands, the stationary one being that loaded last; an fp32 operand has a high and a low part, unless
// it is said to hold only 0 and 1, any other one part.
class MatmulPasses {
  public:
    // `stationary_parts`: of what has been loaded before.
    explicit MatmulPasses(unsigned stationary_parts = 1) : stationary_parts_(stationary_parts) {}

    unsigned next(const Instruction& instruction);

    // Of the operand loaded last.
    unsigned stationary_parts() const { return stationary_parts_; }

  private:
    unsigned stationary_parts_;
};

}  // namespace trnsim::isa
