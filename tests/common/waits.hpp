// Finds the waits of a package, so that a test can remove them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "compiler/neff/package.hpp"

namespace trnsim::test {

// Returns the engine of each wait and its place in the engine's program.
inline std::vector<std::pair<std::size_t, std::size_t>> waits_of(const neff::Package& package) {
    std::vector<std::pair<std::size_t, std::size_t>> waits;
    for (std::size_t engine = 0; engine < package.programs.size(); ++engine) {
        for (std::size_t pc = 0; pc < package.programs[engine].size(); ++pc) {
            if (package.programs[engine][pc].get(isa::field::WaitMode) != 0) waits.emplace_back(engine, pc);
        }
    }
    return waits;
}

// Returns whether only the end of the program follows.
inline bool is_last(const neff::Package& package, std::size_t engine, std::size_t pc) {
    const auto& program = package.programs[engine];
    return std::all_of(program.begin() + static_cast<std::ptrdiff_t>(pc), program.end(),
                       [](const isa::Instruction& instruction) {
                           return instruction.opcode() == isa::Opcode::Halt ||
                                  instruction.opcode() == isa::Opcode::RegisterAlu ||
                                  instruction.opcode() == isa::Opcode::EventSemaphore;
                       });
}

}  // namespace trnsim::test
