// Builds control instructions.
#pragma once

#include <cstdint>

#include "isa/instruction.hpp"

namespace trnsim::random_programs {

isa::Instruction halt();
isa::Instruction wait_for(isa::Instruction instruction, unsigned semaphore, isa::WaitMode mode,
                          std::uint32_t value);
isa::Instruction then_update(isa::Instruction instruction, unsigned semaphore, isa::UpdateMode mode,
                             unsigned value);

// Instructions on scalar registers. Without a second register the operand is the immediate.
isa::Instruction move_immediate(unsigned dst, std::uint32_t value);
isa::Instruction alu(isa::RegOp op, unsigned dst, unsigned a, unsigned b);
isa::Instruction alu_immediate(isa::RegOp op, unsigned dst, unsigned a, std::uint32_t value);
isa::Instruction branch(unsigned target, isa::BranchCond condition = isa::BranchCond::Always, unsigned a = 0,
                        unsigned b = 0);
isa::Instruction load_register(unsigned dst, std::uint64_t address, unsigned a = 0);
isa::Instruction store_register(unsigned b, std::uint64_t address, unsigned a = 0);

}  // namespace trnsim::random_programs
