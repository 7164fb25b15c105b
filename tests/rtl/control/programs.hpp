// Instructions and random programs for tests of control.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "testbench/random_programs/control_instructions.hpp"

namespace trnsim::test {

using namespace random_programs;  // control instructions

constexpr int Engines = 5;
using Program = std::vector<isa::Instruction>;

// Offsets in the core window.
constexpr std::uint32_t sbuf(unsigned partition, unsigned offset = 0) {
    return (partition << 18) + offset;
}
constexpr std::uint32_t psum(unsigned partition, unsigned offset = 0) {
    return 0x2000000 + (partition << 14) + offset;
}

// Returns a legal instruction for the engine's data path: load_stationary, activation, gpsimd_command or
// tensor_copy. Sync has none.
isa::Instruction data_path(int engine);
bool has_data_path(int engine);

isa::Instruction write_register(std::uint64_t address, std::uint32_t data);
isa::Instruction ring_doorbells(std::uint64_t address, unsigned mask, std::uint32_t stride, unsigned m2s,
                                unsigned s2m);

// Programs of all engines that cannot deadlock: every wait is satisfied by updates that come earlier in one
// common order.
struct RandomPrograms {
    std::array<Program, Engines> program;
    // The values of the semaphores after the end of all programs.
    std::array<std::uint32_t, 256> final_value{};
};
RandomPrograms random_programs(std::mt19937_64& random, unsigned instructions);

// Returns the 32-bit writes that an instruction makes to the system.
std::vector<std::pair<std::uint64_t, std::uint32_t>> system_writes(const isa::Instruction& instruction);

bool is_control(const isa::Instruction& instruction);
// Return whether a control instruction touches only registers, and whether it accesses the core window.
bool is_scalar(const isa::Instruction& instruction);
bool uses_window(const isa::Instruction& instruction);
bool wait_satisfied(const isa::Instruction& instruction, std::uint32_t value);
// Returns the value after the instruction's update, without a check for overflow.
std::uint32_t updated(const isa::Instruction& instruction, std::uint32_t value);

}  // namespace trnsim::test
