// The part of its operands that an instruction touches on a core, by the tables of isa/operands.hpp and the
// number of lanes.
#pragma once

#include <array>
#include <cstdint>

#include "isa/operands.hpp"

namespace trnsim::operands {

struct Extent {
    isa::Counts counts;  // elements in a partition
    std::uint32_t partitions;
};
// `quadrant` is a quarter of the lanes. The instruction need not have been checked.
Extent extent_of(isa::InstructionView bytes, const isa::OperandInfo& operand, std::uint32_t quadrant);

// Returns whether transpose_block turns one block smaller than quadrant x quadrant to [elements, partitions].
// False for other instructions.
bool turns_one_block(isa::InstructionView bytes, std::uint32_t quadrant);

// True for each immediate (isa::immediates_of) that an instruction of the Vector or Scalar engine reads.
std::array<bool, 2> reads_immediates(isa::Engine engine, isa::InstructionView bytes);
// Returns whether one of them is a tensor in PSUM, from which no engine reads immediates.
bool reads_immediate_in_psum(isa::Engine engine, isa::InstructionView bytes);

}  // namespace trnsim::operands
