// Compares every activation function in the engine with the host's evaluation, to the bit.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "arch/activation/activation.hpp"
#include "common/random.hpp"
#include "testbench/random_programs/scalar_instructions.hpp"
#include "tests/arch/numerics/operands.hpp"
#include "tests/rtl/scalar/scalar_bench.hpp"
#include "tests/rtl/scalar/scalar_model.hpp"

namespace trnsim::test {
namespace {

using isa::Activation;
using isa::ActivationSet;

class ScalarFunction : public testing::TestWithParam<isa::EnumValue> {
  protected:
    Activation function() const { return static_cast<Activation>(GetParam().value); }

    // Checks the function of n elements a partition, from offset 0, with results in fp32 at offset 64 Ki.
    void check(ScalarBench& bench, unsigned n, isa::Dtype dtype) {
        Tensors t;
        t.count[0] = n;
        t.a.dtype = dtype;
        t.dst.offset = 64 * 1024;
        Activate how;
        how.function = function();
        how.alpha = -0.3f;
        std::vector<isa::Instruction> program;
        for (const auto& set : isa::activation_set_values()) {
            if (set.value != 0 && activation::in_set(function(), static_cast<ActivationSet>(set.value))) {
                program.push_back(act_table_load(static_cast<ActivationSet>(set.value)));
                break;
            }
        }
        program.push_back(activate(t, how));
        ScalarModel model;
        model.memories = bench.memories;
        for (const isa::Instruction& i : program) model.execute(i);
        std::mt19937_64 random(1);
        bench.run(program, {}, random);
        const auto difference = first_difference(bench.memories, model.memories);
        ASSERT_FALSE(difference) << *difference;
    }
};

TEST_P(ScalarFunction, EveryBf16) {
    ScalarBench bench;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
        bench.memories.store(false, bits % Lanes, bits / Lanes * 2, 2, bits);
    check(bench, 0x10000 / Lanes, isa::Dtype::Bf16);
}

TEST_P(ScalarFunction, RandomFp32) {
    std::mt19937_64 random = generator();
    OperandSource source(random);
    ScalarBench bench;
    constexpr unsigned N = 2048;
    for (std::uint64_t round = 0; round < scale(); ++round) {
        for (unsigned row = 0; row < N; ++row) {
            for (unsigned lane = 0; lane < Lanes; ++lane)
                bench.memories.sbuf[row][lane] =
                    row % 4 == 0 ? source.any() : source.with_exponent(112 + source.below(32));
        }
        ASSERT_NO_FATAL_FAILURE(check(bench, N, isa::Dtype::Fp32));
    }
}

INSTANTIATE_TEST_SUITE_P(Functions, ScalarFunction,
                         testing::ValuesIn(isa::activation_values().begin(), isa::activation_values().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace trnsim::test
