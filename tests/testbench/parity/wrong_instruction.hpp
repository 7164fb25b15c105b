// Random programs with one kind of instruction that a model is said to execute wrongly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/config/config.hpp"
#include "common/random.hpp"
#include "compiler/neff/package.hpp"
#include "isa/instruction.hpp"
#include "testbench/parity/subjects.hpp"

namespace trnsim::test {

inline constexpr std::uint64_t Programs = 3;

// Returns the instructions of the engines' data paths, without those of the sequencers.
inline std::vector<isa::Instruction> work_of(const neff::Package& package) {
    std::vector<isa::Instruction> work;
    for (const auto& program : package.programs) {
        for (const isa::Instruction& instruction : program)
            if (instruction.opcode() > isa::Opcode::RegisterStore) work.push_back(instruction);
    }
    return work;
}

inline std::size_t count_of(const neff::Package& package, isa::Opcode opcode) {
    const std::vector<isa::Instruction> work = work_of(package);
    return static_cast<std::size_t>(std::ranges::count(work, opcode, &isa::Instruction::opcode));
}

inline parity::Subject programs() {
    return parity::programs(config::load("small16"), seed(), 0, Programs - 1);
}

// Returns a kind of instruction of the package, chosen by the seed.
inline isa::Opcode any_work(const neff::Package& package) {
    const std::vector<isa::Instruction> work = work_of(package);
    return work[seed() % work.size()].opcode();
}

}  // namespace trnsim::test
