// The verilated Scalar engine between memories and a source of instructions.
#pragma once

#include <memory>
#include <random>
#include <span>
#include <vector>

#include "isa/instruction.hpp"
#include "tests/rtl/vector/memories.hpp"

class Vscalar_engine;  // NOLINT(readability-identifier-naming): Verilator names it

namespace trnsim::test {

// Chances in 256 that, in a cycle, a port is granted and an instruction is offered. A port that is not
// granted may change its read data.
struct ScalarWorld {
    unsigned grant = 256;
    unsigned offer = 256;
};

// Cycles counted from the start of the run.
struct ScalarTimes {
    std::uint64_t accepted = 0;
    std::uint64_t done = 0;
};

class ScalarBench {
  public:
    ScalarBench();
    ~ScalarBench();

    Memories memories;

    // Runs instructions to completion. Throws std::runtime_error when one is rejected, when done_o comes
    // before the last write of its instruction, and when nothing happens for too long.
    std::vector<ScalarTimes> run(std::span<const isa::Instruction> instructions, ScalarWorld world,
                                 std::mt19937_64& random);

    isa::Error reject(const isa::Instruction& instruction);
    void seed(std::uint32_t seed);
    void sr_enable(bool enable);

  private:
    void offer(const isa::Instruction& instruction);
    void load_tables();
    void clock_edge();

    std::unique_ptr<Vscalar_engine> top_;
    std::vector<std::uint8_t> tables_;  // the tables for the engine
    std::size_t table_bytes_ = 0;       // bytes of them that have been sent
};

}  // namespace trnsim::test
