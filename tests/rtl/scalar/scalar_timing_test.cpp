// Costs of Scalar instructions, one row for each form, and the speed of the simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <ctime>

#include "arch/activation/table_image.hpp"
#include "common/random.hpp"
#include "testbench/random_programs/scalar_instructions.hpp"
#include "tests/rtl/scalar/scalar_bench.hpp"

namespace trnsim::test {
namespace {

using isa::Activation;
using isa::ActivationSet;
using isa::Dtype;
using isa::Instruction;
using isa::ReduceCmd;

// Operands of independent instructions: they alternate between two places.
Tensors columns(unsigned n, unsigned k, Dtype dtype = Dtype::Fp32, bool psum = false) {
    Tensors t;
    t.count[0] = n;
    t.a.dtype = t.dst.dtype = dtype;
    t.a.psum = psum;
    t.dst.offset = 80 * 1024 + (k % 2) * 40 * 1024;
    return t;
}

struct Form {
    const char* name;
    Instruction (*make)(unsigned n, unsigned k);
};

Instruction exp(unsigned n, unsigned k) {
    Activate how;
    how.function = Activation::Exp;
    return activate(columns(n, k), how);
}

const Form Forms[] = {
    {"activation exp, fp32", exp},
    {"activation exp, bf16",
     [](unsigned n, unsigned k) {
         Activate how;
         how.function = Activation::Exp;
         return activate(columns(n, k, Dtype::Bf16), how);
     }},
    {"activation exp from PSUM",
     [](unsigned n, unsigned k) {
         Activate how;
         how.function = Activation::Exp;
         return activate(columns(n, k, Dtype::Fp32, true), how);
     }},
    {"activation_reduce exp",
     [](unsigned n, unsigned k) {
         Activate how;
         how.function = Activation::Exp;
         how.with_reduce = true;
         how.reduce = ReduceCmd::ResetReduce;
         return activate(columns(n, k), how);
     }},
    {"tensor_copy", [](unsigned n, unsigned k) { return scalar_copy(columns(n, k)); }},
    {"tensor_scalar multiply, add",
     [](unsigned n, unsigned k) {
         return scalar_operations(columns(n, k), {isa::AluOp::Multiply}, {0x40000000}, {isa::AluOp::Add},
                                  {0x40000000});
     }},
};

TEST(ScalarTiming, IndependentInstructionsBackToBack) {
    std::mt19937_64 random = generator();
    for (const Form& form : Forms) {
        for (const unsigned n : {1u, 63u, 64u, 65u, 512u}) {
            ScalarBench bench;
            std::vector<Instruction> program{act_table_load(ActivationSet::NaturalLogExpAndOthers)};
            for (unsigned k = 0; k < 8; ++k) program.push_back(form.make(n, k));
            const auto times = bench.run(program, {}, random);
            const std::uint64_t interval = times.back().done - times[times.size() - 2].done;
            std::printf("%-32s N = %4u: %lu cycles\n", form.name, n, interval);
            EXPECT_EQ(interval, std::max(64u, n)) << form.name;
        }
    }
}

TEST(ScalarTiming, ReadingTheAccumulatorsCosts64) {
    std::mt19937_64 random = generator();
    ScalarBench bench;
    std::vector<Instruction> program{act_table_load(ActivationSet::NaturalLogExpAndOthers)};
    for (unsigned k = 0; k < 6; ++k) {
        program.push_back(Forms[3].make(512, k));
        program.push_back(act_read_accumulator(columns(1, k)));
    }
    const auto times = bench.run(program, {}, random);
    const std::uint64_t interval = times[times.size() - 1].done - times[times.size() - 3].done;
    std::printf("activation_reduce of 512 and act_read_accumulator: %lu cycles\n", interval);
    EXPECT_EQ(interval, 512 + 64);
}

// The tables come from a memory without latency.
TEST(ScalarTiming, TableLoad) {
    std::mt19937_64 random = generator();
    ScalarBench bench;
    const auto times =
        bench.run(std::vector<Instruction>(3, act_table_load(ActivationSet::GeluAndOthers)), {}, random);
    const std::uint64_t beats =
        activation::table_image(ActivationSet::GeluAndOthers).size() / activation::BeatBytes;
    for (const ScalarTimes& t : times) EXPECT_EQ(t.done - t.accepted, beats + 2);
}

// Published: 223 cycles, and 264 between instructions that each wait for the previous one (profiler
// screenshots).
TEST(ScalarTiming, IsolatedActivate) {
    std::mt19937_64 random = generator();
    ScalarBench bench;
    bench.run({{act_table_load(ActivationSet::NaturalLogExpAndOthers)}}, {}, random);
    const auto times = bench.run({{exp(1, 0)}}, {}, random);
    const std::uint64_t cycles = times[0].done - times[0].accepted;
    std::printf("activation of one element: accepted to done %lu cycles\n", cycles);
    EXPECT_NEAR(static_cast<double>(cycles), 223, 22);
}

// Access start-up begins when the result that an instruction depends on is written, at the earliest 64 cycles
// after the start of the instruction that writes it. Published: 264.
TEST(ScalarTiming, DependentChain) {
    std::mt19937_64 random = generator();
    ScalarBench bench;
    Tensors t;
    const auto times = bench.run(std::vector<Instruction>(8, activate(t, {})), {}, random);
    const std::uint64_t interval = times[7].done - times[6].done;
    std::printf("dependent activations of one element: %lu cycles\n", interval);
    EXPECT_EQ(interval, 264);
}

// Elements more than 16 bytes apart take a port twice as long, for reads and for writes.
TEST(ScalarTiming, FarSteps) {
    std::mt19937_64 random = generator();
    struct Case {
        int from, to;
        std::uint64_t cycles;
    };
    for (const Case& c :
         {Case{4, 4, 512}, {5, 1, 1024}, {1, 5, 1024}, {5, 5, 1024}, {-4, 1, 512}, {-5, 1, 1024}}) {
        ScalarBench bench;
        std::vector<Instruction> program;
        for (unsigned k = 0; k < 8; ++k) {
            Tensors t = columns(512, k);
            t.a.step[0] = c.from;
            if (c.from < 0) t.a.offset = 32764;
            t.dst.step[0] = c.to;
            program.push_back(scalar_copy(t));
        }
        const auto times = bench.run(program, {}, random);
        EXPECT_EQ(times[7].done - times[6].done, c.cycles) << c.from << " to " << c.to;
    }
}

// Prints the speed of the simulation, bench and memories included; it checks nothing, so it runs with
// --gtest_also_run_disabled_tests only.
TEST(ScalarTiming, DISABLED_SimulationSpeed) {
    std::mt19937_64 random = generator();
    std::normal_distribution<float> normal;
    for (const auto function :
         {Activation::Exp, Activation::Tanh, Activation::Softplus, Activation::Log, Activation::Copy}) {
        ScalarBench bench;
        for (unsigned row = 0; row < 8192; ++row) {
            for (unsigned lane = 0; lane < Lanes; ++lane)
                bench.memories.sbuf[row][lane] = std::bit_cast<std::uint32_t>(normal(random));
        }
        bench.run({{act_table_load(ActivationSet::NaturalLogExpAndOthers)}}, {}, random);
        constexpr unsigned Repeats = 4;
        Activate how;
        how.function = function;
        const std::vector<Instruction> program(Repeats, activate(columns(8192, 0), how));
        const std::clock_t start = std::clock();
        bench.run(program, {}, random);
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        const std::string name(isa::name_of(function));
        std::printf("%-10s fp32 128 x 8192: %.1f M elements a CPU second\n", name.c_str(),
                    Repeats * 8192.0 * Lanes / seconds / 1e6);
    }
}

}  // namespace
}  // namespace trnsim::test
