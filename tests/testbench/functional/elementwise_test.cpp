// Tests Vector instructions that work element by element, with values computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/builder/error.hpp"
#include "testbench/functional/lane_bench.hpp"

namespace trnsim::functional {
namespace {

using builder::KernelBuilder;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;
using isa::ReduceCmd;
using Rows = LaneBench::Rows;

Rows tensor_tensor(AluOp op, const Rows& x, const Rows& y, bool reverse = false) {
    LaneBench bench;
    const Tile a = bench.tile(x), b = bench.tile(y);
    const Tile dst = bench.tile(a.partitions, Dtype::Fp32, {a.axes[0].count});
    bench.run([&](KernelBuilder& k) { k.tensor_tensor(dst, a, {op, reverse}, b); });
    return bench.values(dst);
}

TEST(Elementwise, ComparisonsAndLogic) {
    const float nan = NAN;
    const Rows x{{1, 2, nan, -0.0f, 1e-39f, 3}}, y{{2, 2, 1, 0, 0, nan}};
    EXPECT_EQ(tensor_tensor(AluOp::IsEqual, x, y), (Rows{{0, 1, 0, 1, 1, 0}}));
    EXPECT_EQ(tensor_tensor(AluOp::NotEqual, x, y), (Rows{{1, 0, 1, 0, 0, 1}}));
    EXPECT_EQ(tensor_tensor(AluOp::Greater, x, y), (Rows{{0, 0, 0, 0, 0, 0}}));
    EXPECT_EQ(tensor_tensor(AluOp::Less, x, y), (Rows{{1, 0, 0, 0, 0, 0}}));
    EXPECT_EQ(tensor_tensor(AluOp::Less, x, y, true), (Rows{{0, 0, 0, 0, 0, 0}}));
    EXPECT_EQ(tensor_tensor(AluOp::GreaterEqual, x, y), (Rows{{0, 1, 0, 1, 1, 0}}));
    EXPECT_EQ(tensor_tensor(AluOp::LessEqual, x, y), (Rows{{1, 1, 0, 1, 1, 0}}));
    EXPECT_EQ(tensor_tensor(AluOp::LogicalAnd, x, y), (Rows{{1, 1, 1, 0, 0, 1}}));
    EXPECT_EQ(tensor_tensor(AluOp::LogicalXor, x, y), (Rows{{0, 0, 0, 0, 0, 0}}));
    EXPECT_EQ(tensor_tensor(AluOp::LogicalOr, x, y), (Rows{{1, 1, 1, 0, 0, 1}}));
    EXPECT_EQ(tensor_tensor(AluOp::LogicalNot, x, y), (Rows{{0, 0, 0, 1, 1, 0}}));
    EXPECT_EQ(tensor_tensor(AluOp::LogicalNot, x, y, true), (Rows{{0, 0, 0, 1, 1, 0}}));
    EXPECT_EQ(tensor_tensor(AluOp::AbsMax, {{-3, 1}}, {{2, -5}}), (Rows{{3, 5}}));
    EXPECT_EQ(tensor_tensor(AluOp::AbsMin, {{-3, 1}}, {{2, -5}}), (Rows{{2, 1}}));
    EXPECT_EQ(tensor_tensor(AluOp::Subtract, {{5}}, {{3}}, true), (Rows{{-2}}));
}

TEST(Elementwise, BitOperationsKeepStorageBits) {
    LaneBench bench;
    const Tile a = bench.tile(1, Dtype::I16, {3}), dst = bench.tile(1, Dtype::U16, {3});
    bench.write(a, 0, 0, 0x8001);
    bench.write(a, 0, 1, 0x7fff);
    bench.write(a, 0, 2, 0x00f0);
    const auto constant = [](std::uint32_t bits) { return numerics::float_of(bits); };
    bench.run([&](KernelBuilder& k) {
        k.tensor_scalar(dst, a, {AluOp::ShiftRight, constant(4)}, {AluOp::BitwiseXor, constant(0x10001)});
    });
    EXPECT_EQ(bench.bits(dst, 0, 0), 0x0801u);  // logical shift; the result's low bits
    EXPECT_EQ(bench.bits(dst, 0, 1), 0x07feu);
    EXPECT_EQ(bench.bits(dst, 0, 2), 0x000eu);
    bench.run([&](KernelBuilder& k) { k.tensor_scalar(dst, a, {AluOp::ShiftLeft, constant(32)}); });
    EXPECT_EQ(bench.bits(dst, 0, 1), 0u);
    bench.run([&](KernelBuilder& k) {
        k.tensor_scalar(dst, a, {AluOp::ShiftLeft, constant(3), true}, {AluOp::BitwiseNot});
    });
    EXPECT_EQ(bench.bits(dst, 0, 2), 0xffffu);  // 3 << 0xf0 is 0
    bench.run([&](KernelBuilder& k) { k.tensor_tensor(dst, a, AluOp::BitwiseAnd, dst); });
    EXPECT_EQ(bench.bits(dst, 0, 0), 0x8001u);
    const Tile wide = bench.tile(1, Dtype::I32, {3});
    EXPECT_THROW(bench.run([&](KernelBuilder& k) { k.tensor_scalar(wide, a, {AluOp::BitwiseNot}); }),
                 builder::Error);
    EXPECT_THROW(bench.run([&](KernelBuilder& k) {
        k.tensor_scalar(dst, a, {AluOp::BitwiseNot}, {AluOp::Add, 1.0f});
    }),
                 builder::Error);
}

TEST(Elementwise, PerPartitionScalarsAndTypes) {
    LaneBench bench;
    const Tile a = bench.tile(Dtype::I8, {{100, -100}, {3, -3}}), scale = bench.tile({{2}, {0.5}});
    const Tile dst = bench.tile(2, Dtype::I8, {2}), wide = bench.tile(2, Dtype::Bf16, {2});
    bench.run([&](KernelBuilder& k) { k.tensor_scalar(dst, a, {AluOp::Multiply, scale}); });
    EXPECT_EQ(bench.values(dst), (Rows{{127, -128}, {2, -2}}));  // saturates; ties to even
    bench.run([&](KernelBuilder& k) {
        k.scalar_tensor_tensor(wide, a, {AluOp::Subtract, scale, true}, AluOp::Multiply, a);
    });
    EXPECT_EQ(bench.values(wide), (Rows{{-9792, -10176}, {-7.5, -10.5}}));  // (imm - a) a, in bf16
    bench.run([&](KernelBuilder& k) { k.memset(wide, scale); });
    EXPECT_EQ(bench.values(wide), (Rows{{2, 2}, {0.5, 0.5}}));
    const Tile x = bench.tile({{0, -4, INFINITY}}), y = bench.tile(1, Dtype::Fp32, {3});
    bench.run([&](KernelBuilder& k) { k.reciprocal(y, x); });
    EXPECT_EQ(bench.values(y), (Rows{{INFINITY, -0.25f, 0}}));
}

TEST(Elementwise, PredicatedCopiesLeaveTheRest) {
    LaneBench bench;
    const Tile predicate = bench.tile(Dtype::U8, {{0, 1, 255, 0}});
    const Tile source = bench.tile({{1, 2, 3, 4}}), dst = bench.tile({{-1, -2, -3, -4}});
    bench.run([&](KernelBuilder& k) { k.tensor_copy_predicated(dst, predicate, source); });
    EXPECT_EQ(bench.values(dst), (Rows{{-1, 2, 3, -4}}));
    bench.run([&](KernelBuilder& k) { k.memset_predicated(dst, predicate, 9.0f, {.inverted = true}); });
    EXPECT_EQ(bench.values(dst), (Rows{{9, 2, 3, 9}}));
}

TEST(Elementwise, SelectReduceKeepsTheMaximum) {
    LaneBench bench;
    const Tile predicate = bench.tile(Dtype::I32, {{0, 1, -1}});
    const Tile a = bench.tile({{50, -7, -2}}), dst = bench.tile(1, Dtype::Fp32, {3});
    const Tile maximum = bench.tile(1, Dtype::Fp32, {1});
    const auto run = [&](float other, ReduceCmd reduce) {
        bench.run([&](KernelBuilder& k) { k.select_reduce(dst, a, predicate, other, {.reduce = reduce}); });
        bench.run([&](KernelBuilder& k) { k.read_accumulator(maximum); });
        return bench.values(maximum)[0][0];
    };
    EXPECT_EQ(run(-9, ReduceCmd::ResetReduce), -2.0f);
    EXPECT_EQ(bench.values(dst), (Rows{{-9, -7, -2}}));
    EXPECT_EQ(run(-1, ReduceCmd::Reduce), -1.0f);
    EXPECT_EQ(run(5, ReduceCmd::Idle), -1.0f);
}

}  // namespace
}  // namespace trnsim::functional
