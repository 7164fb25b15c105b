// The verilated Vector engine between memories and a source of instructions.
#pragma once

#include <memory>
#include <random>
#include <span>

#include "isa/instruction.hpp"
#include "tests/rtl/vector/memories.hpp"

class Vvector_engine;  // NOLINT(readability-identifier-naming): Verilator names it

namespace trnsim::test {

// The behaviour of the world around the engine: chances in 256 that, in a cycle, a port is granted, that none
// is held back from further instructions, and that an instruction is offered. A port that is not granted may
// change its read data.
struct World {
    unsigned grant = 256;
    unsigned offer = 256;
};

// Cycles counted from the start of the run.
struct Times {
    std::uint64_t accepted = 0;
    std::uint64_t done = 0;
};

struct RunResult {
    std::vector<Times> times;          // one for each instruction
    std::uint64_t first_read = ~0ull;  // first read of the run
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t cycles = 0;
};

class VectorBench {
  public:
    VectorBench();
    ~VectorBench();

    Memories memories;

    // Runs instructions to completion. Throws std::runtime_error when one is rejected, when done_o comes
    // before the last write of its instruction or more than a cycle after it, and when nothing happens for
    // too long.
    RunResult run(std::span<const isa::Instruction> instructions, World world, std::mt19937_64& random);

    // Does what writes of sr_control and sr_seed do; not while the engine runs.
    void set_rounding(bool stochastic, std::uint32_t seed);

    isa::Error reject(const isa::Instruction& instruction);

  private:
    void offer(const isa::Instruction& instruction);
    void clock_edge();

    std::unique_ptr<Vvector_engine> top_;
};

}  // namespace trnsim::test
