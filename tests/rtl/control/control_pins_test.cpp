// Inputs from other blocks reach the registers with every bit: counters, program counters of GpSimd cores,
// faults of the memories and of engines at work.
#include <gtest/gtest.h>

#include "Vcontrol.h"
#include "rtl/control/control_bench.hpp"

namespace trnsim::test {
namespace {

using isa::Error;
namespace csr = isa::csr;

constexpr std::uint32_t System = 7;
constexpr unsigned GpsimdCores = 8;  // number for 128 partitions
constexpr std::array<std::uint32_t, 2> Patterns{0xaaaaaaaa, 0x55555555};

TEST(ControlPins, CountersAndProgramCounters) {
    ControlBench bench({});
    for (const std::uint32_t pattern : Patterns) {
        bench.pins().counter_i = std::uint64_t{pattern} << 32 | (pattern ^ 0x0ff00ff0);
        for (unsigned core = 0; core < GpsimdCores; ++core) bench.pins().gpsimd_pc_i[core] = pattern ^ core;
        for (const std::uint32_t low :
             {csr::EngineBusyLo + csr::EngineStride * 2, csr::MatmulLo, csr::FastLoadLo, csr::NormalLoadLo}) {
            EXPECT_EQ(bench.read(low), pattern ^ 0x0ff00ff0);
            EXPECT_EQ(bench.read(low + 4), pattern);
        }
        for (unsigned core = 0; core < GpsimdCores; ++core)
            EXPECT_EQ(bench.read(csr::GpsimdPc + csr::GpsimdStride * core), pattern ^ core);
    }
}

TEST(ControlPins, FaultsOfTheMemories) {
    for (const std::uint32_t pattern : Patterns) {
        ControlBench bench({});
        bench.expect_no_error = false;
        const std::uint32_t address = pattern & 0x3ffffff;
        const auto code = static_cast<Error>(pattern & 0xf);
        bench.pins().memory_fault_code_i = static_cast<std::uint8_t>(code);
        bench.pins().memory_fault_master_i = System;
        bench.pins().memory_fault_tag_i = pattern & 0x3f;
        bench.pins().memory_fault_address_i = address;
        bench.pins().memory_fault_valid_i = 1;
        bench.cycles(3);
        EXPECT_TRUE(bench.error());
        EXPECT_EQ(bench.fault(), (Fault{code, System, 0, address, 0}));
    }
}

// The fault names the oldest instruction under way.
TEST(ControlPins, FaultsOfEnginesAtWork) {
    for (int engine = 0; engine < Engines - 1; ++engine) {  // Sync has no instruction at work
        for (const std::uint32_t pattern : Patterns) {
            ControlBench bench({});
            bench.expect_no_error = false;
            bench.hold[engine] = true;
            const Program program{isa::Instruction(isa::Opcode::Nop), data_path(engine), halt()};
            bench.run_program(engine, program, 0x4000);
            bench.cycles(100);
            ASSERT_EQ(bench.issued[engine], 1u);
            const auto code = static_cast<Error>(pattern & 0x1f);
            bench.pins().engine_fault_i = static_cast<std::uint32_t>(code) << (5 * engine);
            bench.pins().engine_fault_address_i[engine] = pattern;
            bench.cycles(3);
            bench.pins().engine_fault_i = 0;
            EXPECT_TRUE(bench.error());
            EXPECT_EQ(bench.fault(), (Fault{code, static_cast<unsigned>(engine), 1, pattern,
                                            static_cast<unsigned>(program[1].opcode())}));
        }
    }
}

}  // namespace
}  // namespace trnsim::test
