// Programs for the two cores side by side, and the expectations of the tests of lockstep.hpp.
#pragma once

#include "lockstep.hpp"

namespace trnsim::test {

constexpr std::uint64_t ProgramBase = 0x100000, TableBase = 0x4000000;
constexpr std::uint32_t Ones = 0x3f803f80;  // two bf16

// Returns the address of an engine's program.
std::uint64_t base_of(unsigned engine);

// Returns an instruction with a shape of two dimensions; the fields of its operands are still to be set.
isa::Instruction shaped(isa::Opcode opcode, std::uint64_t partitions, std::uint64_t inner,
                        std::uint64_t outer = 1);

// Returns random instructions of an engine. The values of their results mean nothing.
Program engine_program(Lockstep& both, isa::Engine engine, std::size_t count);
// Puts tables into memory for the program's loads of tables, each of the set it loads.
void place_tables(Lockstep& both, Program& program);
// Puts the microcode into the cores and returns the instruction with which their engine's program starts
// them.
isa::Instruction load_microcode(Lockstep& both);

// Reduces instructions of the data path to their waits and updates.
Program control_of(Program program);
// Returns waits, updates, writes and doorbells for all engines.
std::vector<Program> control_programs(std::mt19937_64& random);

std::string text_of(const Program& program);

void expect_same(const Lockstep& both);
// Compares the registers of the first fault and of the first NaN. After tables that could not be loaded, the
// RTL goes on with those it has.
void expect_same_faults(Lockstep& both);

// Runs control_programs() on all engines at once. Records waves if `folder` is given.
void run_control(std::uint64_t rounds, const std::filesystem::path& folder = {});
// Runs `count` random instructions on each engine. Records waves if `folder` is given.
void run_rounds(const std::vector<isa::Engine>& engines, std::size_t count,
                const std::filesystem::path& folder = {});

}  // namespace trnsim::test
