// Compares instructions that draw random numbers, and table functions, with the host's generators and
// functions.
#include <gtest/gtest.h>

#include "arch/activation/activation.hpp"
#include "arch/target/dtype.hpp"
#include "testbench/functional/lane_bench.hpp"

namespace trnsim::functional {
namespace {

using builder::KernelBuilder;
using builder::Tile;
using isa::Dtype;
using isa::Rounding;
using numerics::Stream;
using numerics::Xorwow;
using Rows = LaneBench::Rows;

constexpr std::uint32_t N = 40;

Tile wide_tile(LaneBench& bench, float scale) {
    Rows rows(2, std::vector<float>(N));
    for (std::uint32_t i = 0; i < N; ++i) {
        rows[0][i] = scale * (1.0f + static_cast<float>(i) * 0x1p-12f);
        rows[1][i] = -rows[0][i];
    }
    return bench.tile(rows);
}

TEST(Random, RoundingTakesOneDrawAnElement) {
    for (const bool by_core : {false, true}) {
        LaneBench bench(test::small_target(), {by_core, 7});
        const Tile a = wide_tile(bench, 1.0f), dst = bench.tile(2, Dtype::Bf16, {N});
        const Rounding rounding = by_core ? Rounding::Core : Rounding::Stochastic;
        for (const int engine : {1, 2}) {
            const auto on = static_cast<isa::Engine>(engine);
            Xorwow lanes[] = {{static_cast<Stream>(engine), 0, 7}, {static_cast<Stream>(engine), 1, 7}};
            bench.run([&](KernelBuilder& k) { k.tensor_copy(dst, a, {.rounding = rounding, .engine = on}); });
            for (std::uint32_t row = 0; row < 2; ++row) {
                for (std::uint32_t i = 0; i < N; ++i) {
                    const float x = numerics::float_of(bench.bits(a, row, i));
                    EXPECT_EQ(bench.bits(dst, row, i),
                              numerics::from_fp32(x, Dtype::Bf16, lanes[row].draw()));
                }
            }
        }
        bench.run([&](KernelBuilder& k) { k.tensor_copy(dst, a, {.rounding = Rounding::Nearest}); });
        EXPECT_EQ(bench.bits(dst, 0, 1), numerics::from_fp32(1.0f + 0x1p-12f, Dtype::Bf16));
    }
}

TEST(Random, FullTypesAndRawCopiesDrawNothing) {
    LaneBench bench(test::small_target(), {true, 3});
    const Tile a = wide_tile(bench, 1.0f), same = bench.tile(2, Dtype::Fp32, {N});
    const Tile dst = bench.tile(2, Dtype::Fp16, {N}), whole = bench.tile(2, Dtype::I32, {N});
    bench.run([&](KernelBuilder& k) {
        k.tensor_copy(same, a);
        k.tensor_copy(whole, a);
        k.tensor_copy(dst, a);
        k.tensor_copy(dst, dst);
    });
    Xorwow lane(Stream::VectorRounding, 1, 3);
    for (std::uint32_t i = 0; i < N; ++i) {
        EXPECT_EQ(bench.bits(dst, 1, i),
                  numerics::from_fp32(numerics::float_of(bench.bits(a, 1, i)), Dtype::Fp16, lane.draw()));
    }
}

TEST(Random, BitsOfTheSeededGenerator) {
    LaneBench bench;
    const Tile seed = bench.tile(1, Dtype::U32, {1}), dst = bench.tile(3, Dtype::U16, {N});
    bench.write(seed, 0, 0, 1234);
    bench.run([&](KernelBuilder& k) {
        k.rng(dst);  // from seed 0
        k.set_rng_seed(seed);
        k.rng(dst);
    });
    Xorwow lane(Stream::VectorRandom, 2, 1234);
    for (std::uint32_t i = 0; i < N; ++i) EXPECT_EQ(bench.bits(dst, 2, i), lane.draw() & 0xffff);
}

TEST(Random, DropoutComparesEachDraw) {
    LaneBench bench;
    const Tile a = wide_tile(bench, 3.0f), dst = bench.tile(2, Dtype::Fp32, {N});
    Xorwow lane(Stream::VectorRandom, 0, 0);
    for (const float probability : {0.25f, 1.0f, 0.0f, -1.0f, 2.0f, 0x1p-33f}) {
        bench.run([&](KernelBuilder& k) { k.dropout(dst, a, probability); });
        for (std::uint32_t i = 0; i < N; ++i) {
            const bool dropped =
                lane.draw() < static_cast<double>(probability) * 0x1p32 && probability >= 0x1p-32f;
            EXPECT_EQ(bench.bits(dst, 0, i), dropped ? 0 : bench.bits(a, 0, i)) << probability;
        }
    }
}

TEST(Random, ProbabilityOfEveryFloatType) {
    LaneBench bench;
    const Tile a = wide_tile(bench, 3.0f), dst = bench.tile(2, Dtype::Fp32, {N});
    Xorwow lane(Stream::VectorRandom, 1, 0);
    for (const Dtype dtype : {Dtype::Fp32, Dtype::Tf32, Dtype::Bf16, Dtype::Fp16, Dtype::Fp8E3m4,
                              Dtype::Fp8E4m3, Dtype::Fp8E5m2}) {
        const Tile probability = bench.tile(dtype, {{1.0f}, {0.25f}});
        bench.run([&](KernelBuilder& k) { k.dropout(dst, a, probability); });
        for (std::uint32_t i = 0; i < N; ++i) {
            EXPECT_EQ(bench.bits(dst, 0, i), 0u);
            EXPECT_EQ(bench.bits(dst, 1, i), lane.draw() < 0x40000000 ? 0 : bench.bits(a, 1, i));
        }
    }
}

TEST(Scalar, BiasOfEveryType) {
    LaneBench bench;
    const Tile a = bench.tile({{2.0f}, {-3.0f}}), dst = bench.tile(2, Dtype::Fp32, {1});
    for (const Dtype dtype : target::bias_types()) {
        const Tile bias = bench.tile(dtype, {{5.0f}, {1.0f}});
        bench.run([&](KernelBuilder& k) {
            k.activation(dst, a, isa::Activation::Copy, {.scale = 4.0f, .bias = bias});
        });
        EXPECT_EQ(bench.values(dst), (LaneBench::Rows{{13.0f}, {-11.0f}})) << isa::name_of(dtype);
    }
}

// If the core refuses an operand in place of an immediate, the interpreter refuses it too.
TEST(Scalar, RefusesOtherTypesOfOperands) {
    LaneBench bench;
    const Tile a = bench.tile({{2.0f}}), dst = bench.tile(1, Dtype::Fp32, {1}), column = bench.tile({{1.0f}});
    builder::KernelBuilder builder("types", "", bench.target);
    builder.activation(dst, a, isa::Activation::Copy, {.bias = column});
    builder.dropout(dst, a, column);
    builder.tensor_scalar(dst, a, {isa::AluOp::Add, column});
    const neff::Package package = builder.finish();
    const auto of = [&](isa::Engine engine, std::size_t index) {
        return package.programs[static_cast<std::size_t>(engine)][index];
    };
    isa::Instruction biased = of(isa::Engine::Scalar, 0), dropped = of(isa::Engine::Vector, 0),
                     added = of(isa::Engine::Vector, 1);
    ASSERT_EQ(biased.opcode(), isa::Opcode::Activation);
    ASSERT_EQ(dropped.opcode(), isa::Opcode::Dropout);
    ASSERT_EQ(added.opcode(), isa::Opcode::TensorScalar);
    EXPECT_NO_THROW(bench.execute(isa::Engine::Scalar, biased));
    for (const unsigned code : {1u, 10u, 11u, 12u}) {
        biased.set(isa::field::BiasDtype, code);
        EXPECT_THROW(bench.execute(isa::Engine::Scalar, biased), Error) << code;
    }
    biased.set(isa::field::BiasDtype, isa::ImmediateDtype::Bf16).set(isa::field::BiasVector, 0);
    EXPECT_THROW(bench.execute(isa::Engine::Scalar, biased), Error);
    EXPECT_NO_THROW(bench.execute(isa::Engine::Vector, dropped));
    dropped.set(isa::field::Imm0Dtype, isa::ImmediateDtype::U8);
    EXPECT_THROW(bench.execute(isa::Engine::Vector, dropped), Error);
    EXPECT_NO_THROW(bench.execute(isa::Engine::Vector, added));
    added.set(isa::field::Imm0Dtype, isa::ImmediateDtype::Bf16);
    EXPECT_THROW(bench.execute(isa::Engine::Vector, added), Error);
}

TEST(Scalar, TableFunctionsNeedTheirSet) {
    LaneBench bench;
    const Tile a = wide_tile(bench, 0.5f), dst = bench.tile(2, Dtype::Fp32, {N});
    const auto check = [&](isa::Activation function) {
        bench.run([&](KernelBuilder& k) { k.activation(dst, a, function); });
        for (std::uint32_t i = 0; i < N; ++i) {
            const float x = numerics::float_of(bench.bits(a, 1, i));
            EXPECT_EQ(bench.bits(dst, 1, i), numerics::bits_of(activation::activate(function, x, 0)));
        }
    };
    check(isa::Activation::Exp);
    check(isa::Activation::Gelu);
    check(isa::Activation::Rsqrt);
    isa::Instruction other(isa::Opcode::Activation);
    other.set(isa::field::ActFunction, isa::Activation::Exp)
        .set(isa::field::Partitions, 1)
        .set(isa::field::Count0, 1)
        .set(isa::field::Count1, 1)
        .set(isa::field::Count2, 1)
        .set(isa::field::Count3, 1)
        .set(isa::field::DstDtype, Dtype::Fp32)
        .set(isa::field::ADtype, Dtype::Fp32);
    EXPECT_THROW(bench.execute(isa::Engine::Scalar, other), Error);
}

}  // namespace
}  // namespace trnsim::functional
