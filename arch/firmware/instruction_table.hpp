// The instructions of the GpSimd cores: codes, names, operands.
#pragma once

#include <cstdint>
#include <string>

namespace trnsim::firmware {

struct InstructionRow {
    std::uint32_t mask = 0, match = 0;
    std::string name;
    // One letter for each operand: d s t registers, D S T R floating-point ones, i l w b j u h z immediates
    // and addresses, c a CSR, r rounding, p q sets of a fence, V W X vector registers, n a small number, a an
    // address in rs1, 0 the mask as an operand, m the mask if there is one, e f a vtype.
    std::string operands;
};

// Returns nullptr if no instruction has this code.
const InstructionRow* find_instruction(std::uint32_t code);

}  // namespace trnsim::firmware
