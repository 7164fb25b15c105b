// Programs for the two cores side by side, and what is expected of them; used by the tests of lockstep.hpp.
#pragma once

#include "lockstep.hpp"

namespace trnsim::test {

constexpr std::uint64_t ProgramBase = 0x100000, TableBase = 0x4000000;
constexpr std::uint32_t Ones = 0x3f803f80;  // two bf16

// Where the program of an engine lies.
std::uint64_t base_of(unsigned engine);

// An instruction of a shape of two dimensions, of which fields of operands are still to be set.
isa::Instruction shaped(isa::Opcode opcode, std::uint64_t partitions, std::uint64_t inner,
                        std::uint64_t outer = 1);

// Random instructions of an engine; the values that they leave behind mean nothing.
Program engine_program(Lockstep& both, isa::Engine engine, std::size_t count);
// Loads of tables get those of their set.
void place_tables(Lockstep& both, Program& program);
// The microcode is put into the cores; their engine's program starts them with this.
isa::Instruction load_microcode(Lockstep& both);

// Of instructions of the data path nothing but waits and updates.
Program control_of(Program program);
// Waits, updates, writes and doorbells for all engines.
std::vector<Program> control_programs(std::mt19937_64& random);

std::string text_of(const Program& program);

void expect_same(const Lockstep& both);
// The registers of the first fault and of the first NaN. Behind tables that could not be loaded the RTL goes on with what is there.
void expect_same_faults(Lockstep& both);

// control_programs() on all engines at once; recorded where there is a folder for it.
void run_control(std::uint64_t rounds, const std::filesystem::path& folder = {});
// Of `count` random instructions each; recorded where there is a folder for it.
void run_rounds(const std::vector<isa::Engine>& engines, std::size_t count,
                const std::filesystem::path& folder = {});

}  // namespace trnsim::test
