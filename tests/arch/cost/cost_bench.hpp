// Runs a program alone on the verilated core and records when its instructions are issued and complete, in
// core cycles from the reset on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/cost/cost.hpp"
#include "tests/rtl/control/programs.hpp"
#include "tests/rtl/core/core_bench.hpp"

namespace trnsim::test {

struct Timed {
    std::uint64_t issue = 0, completion = 0;
};

class CostBench {
  public:
    // System memory answers `memory_latency` bus cycles after a request.
    explicit CostBench(const std::string& configuration, unsigned memory_latency = 0);

    Core core;
    cost::Costs costs;

    // Runs the program with a halt added and returns a Timed per instruction, in the order of issue. The test
    // fails if the core stops with an error.
    std::vector<Timed> run(isa::Engine engine, Program program);
};

// Returns an instruction that waits for everything before it.
inline isa::Instruction wait_for_all() {
    return isa::Instruction(isa::Opcode::Nop);
}

}  // namespace trnsim::test
