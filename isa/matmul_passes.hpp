// The number of passes that a matmul makes over its moving operand.
#pragma once

#include "isa/instruction.hpp"

namespace trnsim::isa {

// Takes the Tensor engine's instructions in order. A multiply_moving makes a pass for each pair of parts of
// its operands; its stationary operand is the one that was loaded last. An fp32 operand has a high and a low
// part unless its instruction says that it holds only 0 and 1; any other operand has one part.
class MatmulPasses {
  public:
    // `stationary_parts` are the parts of the operand that has been loaded before.
    explicit MatmulPasses(unsigned stationary_parts = 1) : stationary_parts_(stationary_parts) {}

    unsigned next(const Instruction& instruction);

    // Returns the parts of the operand that was loaded last.
    unsigned stationary_parts() const { return stationary_parts_; }

  private:
    unsigned stationary_parts_;
};

}  // namespace trnsim::isa
