// When instructions of a program by itself are issued and complete on the verilated core, in core cycles from the reset on.
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
    // System memory answers `memory_latency` bus cycles after it was asked.
    explicit CostBench(const std::string& configuration, unsigned memory_latency = 0);

    Core core;
    cost::Costs costs;

    // By instruction, in the order in which they are issued; a halt is added. Fails where the core stops.
    std::vector<Timed> run(isa::Engine engine, Program program);
};

// Waits for everything before it.
inline isa::Instruction wait_for_all() {
    return isa::Instruction(isa::Opcode::Nop);
}

}  // namespace trnsim::test
