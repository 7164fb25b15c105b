// Compares the closed forms of instructions that a sequencer executes itself, and of loads of activation
// tables, with the verilated core.
#include <array>

#include "arch/activation/table_image.hpp"
#include "arch/cost/clock.hpp"
#include "arch/cost/control.hpp"
#include "isa/disassembler.hpp"
#include "tests/arch/cost/cost_bench.hpp"

namespace trnsim::test {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

void expect_near(const char* what, std::uint64_t found, std::uint64_t wanted, std::uint64_t bound) {
    EXPECT_LE(found, wanted + bound) << what;
    EXPECT_GE(found + bound, wanted) << what;
}

// Runs several of them one after the other and compares issue to completion, and one issue to the next.
void compare(CostBench& bench, Engine engine, const Instruction& instruction, unsigned latency) {
    SCOPED_TRACE(isa::disassemble(instruction) + ", latency " + std::to_string(latency));
    constexpr std::size_t Count = 6;
    Program program(Count, instruction);
    if (instruction.opcode() == Opcode::Branch)
        for (std::size_t i = 0; i < Count; ++i) program[i].set(field::Target, i + 1);
    const std::vector<Timed> times = bench.run(engine, program);
    ASSERT_EQ(times.size(), Count + 1);
    const cost::Cycles cycles = bench.costs.of(engine, instruction, {.memory_latency = latency});
    // The first two come with the fetch of the program and are not compared.
    for (std::size_t i = 1; i < Count; ++i) {
        expect_near("issue to completion", times[i].completion - times[i].issue, cycles.completes,
                    cycles.completes_within);
        if (i + 1 < Count && i > 1)
            expect_near("to the next", times[i].issue - times[i - 1].issue, cycles.occupies,
                        cycles.occupies_within);
    }
}

TEST(ControlCosts, OfSmall16) {
    const std::array instructions{Instruction(Opcode::Nop),
                                  Instruction(Opcode::EventSemaphore),
                                  alu(isa::RegOp::Add, 2, 2, 1),
                                  branch(0, isa::BranchCond::Ne, 0, 0),
                                  branch(0),
                                  load_register(2, sbuf(0)),
                                  store_register(2, sbuf(0)),
                                  load_register(2, psum(3, 64)),
                                  load_register(2, isa::window::EventBase),
                                  store_register(2, isa::window::SemInc),
                                  load_register(2, isa::window::GpsimdTcmBase + 1024),
                                  store_register(2, isa::window::GpsimdTcmBase + 1024),
                                  write_register(0x100000000, 7),
                                  ring_doorbells(0x100000000, 0x1, 4, 1, 1),
                                  ring_doorbells(0x100000000, 0xb7d, 4, 1, 1)};
    for (const unsigned latency : {0U, 3U, 41U}) {
        for (const Instruction& instruction : instructions) {
            for (const Engine engine : {Engine::Vector, Engine::Sync}) {
                CostBench bench("small16", latency);
                compare(bench, engine, instruction, latency);
            }
        }
    }
}

TEST(ControlCosts, TableLoads) {
    for (const unsigned latency : {0U, 200U}) {
        for (const unsigned set : {1U, 2U}) {
            SCOPED_TRACE(latency);
            CostBench bench("small16", latency);
            bench.core.tables = activation::table_image(static_cast<isa::ActivationSet>(set));
            const Instruction load =
                Instruction(Opcode::ActTableLoad)
                    .set(field::TableSet, set)
                    .set(field::TableBeats, bench.core.tables.size() / activation::BeatBytes);
            const std::vector<Timed> times = bench.run(Engine::Scalar, {load, wait_for_all()});
            const cost::Cycles cycles =
                bench.costs.in_own_clock(Engine::Scalar, load, {.memory_latency = latency});
            EXPECT_EQ(times[0].completion,
                      bench.costs.completion(Engine::Scalar, times[0].issue, cycles.completes));
        }
    }
}

}  // namespace
}  // namespace trnsim::test
