// Instructions and random programs for tests of control.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "testbench/isa/instruction.hpp"

namespace trnsim::test {

constexpr int Engines = 5;
using Program = std::vector<isa::Instruction>;

// Offsets in the core window.
constexpr std::uint32_t sbuf(unsigned partition, unsigned offset = 0) {
    return (partition << 18) + offset;
}
constexpr std::uint32_t psum(unsigned partition, unsigned offset = 0) {
    return 0x2000000 + (partition << 14) + offset;
}

isa::Instruction halt();
isa::Instruction wait_for(isa::Instruction instruction, unsigned semaphore, isa::WaitMode mode,
                          std::uint32_t value);
isa::Instruction then_update(isa::Instruction instruction, unsigned semaphore, isa::UpdateMode mode,
                             unsigned value);

// A legal instruction for the engine's data path: load_stationary, activation or tensor_copy. Sync has none.
isa::Instruction data_path(int engine);
bool has_data_path(int engine);

isa::Instruction write_register(std::uint64_t address, std::uint32_t data);
isa::Instruction ring_doorbells(std::uint64_t address, unsigned mask, std::uint32_t stride, unsigned m2s,
                                unsigned s2m);

// Programs of all engines that cannot deadlock: every wait is satisfied by updates that come earlier in one
// common order.
struct RandomPrograms {
    std::array<Program, Engines> program;
    // What the semaphores hold once everything has run.
    std::array<std::uint32_t, 256> final_value{};
};
RandomPrograms random_programs(std::mt19937_64& random, unsigned instructions);

// Scalar registers. Without a second register the operand is the immediate.
isa::Instruction move_immediate(unsigned dst, std::uint32_t value);
isa::Instruction alu(isa::RegOp op, unsigned dst, unsigned a, unsigned b);
isa::Instruction alu_immediate(isa::RegOp op, unsigned dst, unsigned a, std::uint32_t value);
isa::Instruction branch(unsigned target, isa::BranchCond condition = isa::BranchCond::Always, unsigned a = 0,
                        unsigned b = 0);
isa::Instruction load_register(unsigned dst, std::uint64_t address, unsigned a = 0);
isa::Instruction store_register(unsigned b, std::uint64_t address, unsigned a = 0);

// The 32-bit writes an instruction makes to the system.
std::vector<std::pair<std::uint64_t, std::uint32_t>> system_writes(const isa::Instruction& instruction);

bool is_control(const isa::Instruction& instruction);
// Control instructions that touch registers alone; those that access the core window.
bool is_scalar(const isa::Instruction& instruction);
bool uses_window(const isa::Instruction& instruction);
bool wait_satisfied(const isa::Instruction& instruction, std::uint32_t value);
// The value after the instruction's update; nothing is checked for overflow.
std::uint32_t updated(const isa::Instruction& instruction, std::uint32_t value);

}  // namespace trnsim::test
