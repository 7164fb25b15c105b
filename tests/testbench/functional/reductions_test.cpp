// Tests reductions, scans, statistics and the Scalar engine's sums, with values computed by hand or in
// double.
#include <gtest/gtest.h>

#include <cmath>

#include "common/random.hpp"
#include "testbench/functional/lane_bench.hpp"

namespace trnsim::functional {
namespace {

using builder::KernelBuilder;
using builder::Tile;
using isa::Activation;
using isa::AluOp;
using isa::Dtype;
using isa::ReduceCmd;
using Rows = LaneBench::Rows;

TEST(Reductions, InnermostAxes) {
    LaneBench bench;
    const Tile flat = bench.tile({{1, 2, 3, 4, 5, 6}, {-1, -2, -3, -4, -5, -6}});
    Tile a = flat;
    a.axes = builder::packed_axes({2, 3});
    const Tile two = bench.tile(2, Dtype::Fp32, {2}), one = bench.tile(2, Dtype::Fp32, {1});
    bench.run([&](KernelBuilder& k) { k.tensor_reduce(two, a, AluOp::Add); });
    EXPECT_EQ(bench.values(two), (Rows{{6, 15}, {-6, -15}}));
    bench.run([&](KernelBuilder& k) { k.tensor_reduce(one, a, AluOp::Max, {.axes = 2, .negate = true}); });
    EXPECT_EQ(bench.values(one), (Rows{{-6}, {1}}));
    bench.run([&](KernelBuilder& k) { k.tensor_reduce(two, a, AluOp::Subtract); });
    EXPECT_EQ(bench.values(two), (Rows{{-4, -7}, {4, 7}}));
    a.axes = {{3, 1}, {2, 3}};  // columns of the same matrix
    const Tile three = bench.tile(2, Dtype::Fp32, {3});
    bench.run([&](KernelBuilder& k) { k.tensor_reduce(three, a, AluOp::AbsMax); });
    EXPECT_EQ(bench.values(three), (Rows{{4, 5, 6}, {4, 5, 6}}));
}

TEST(Reductions, OfOneElementTakeItAsItIs) {
    LaneBench bench;
    const Tile a = bench.tile({{-7}}), dst = bench.tile(1, Dtype::Fp32, {1});
    for (const AluOp op : {AluOp::AbsMax, AluOp::LogicalAnd, AluOp::Multiply}) {
        bench.run([&](KernelBuilder& k) { k.tensor_reduce(dst, a, op); });
        EXPECT_EQ(bench.values(dst), (Rows{{-7}}));
    }
}

TEST(Reductions, OfBits) {
    LaneBench bench;
    const Tile a = bench.tile(Dtype::U8, {{1, 3, 7}}), dst = bench.tile(1, Dtype::I8, {1});
    bench.run([&](KernelBuilder& k) { k.tensor_reduce(dst, a, AluOp::BitwiseXor); });
    EXPECT_EQ(bench.values(dst), (Rows{{5}}));
}

TEST(Reductions, AccumulatorsGoOnOverInstructions) {
    LaneBench bench;
    const Tile a = bench.tile({{1, 2}, {10, 20}}), dst = bench.tile(2, Dtype::Fp32, {2});
    const Tile sum = bench.tile(2, Dtype::Fp32, {1});
    const auto run = [&](ReduceCmd reduce, float initial = 0) {
        bench.run([&](KernelBuilder& k) {
            k.tensor_scalar_reduce(dst, a, {AluOp::Multiply, 2.0f}, AluOp::Add,
                                   {.reduce = reduce, .initial = initial});
        });
        bench.run([&](KernelBuilder& k) { k.read_accumulator(sum); });
        return bench.values(sum);
    };
    EXPECT_EQ(run(ReduceCmd::Reduce), (Rows{{6}, {60}}));
    EXPECT_EQ(run(ReduceCmd::Reduce), (Rows{{12}, {120}}));
    EXPECT_EQ(run(ReduceCmd::ResetReduce), (Rows{{6}, {60}}));
    EXPECT_EQ(run(ReduceCmd::Reset, 100), (Rows{{106}, {160}}));
    EXPECT_EQ(bench.values(dst), (Rows{{2, 4}, {20, 40}}));
    const Tile first = bench.tile({{5, 5}});  // the other lane keeps its sum
    bench.run([&](KernelBuilder& k) {
        k.tensor_scalar_reduce(dst.partition_slice(0, 1), first, {}, AluOp::Max,
                               {.reduce = ReduceCmd::ResetReduce});
    });
    bench.run([&](KernelBuilder& k) { k.read_accumulator(sum); });
    EXPECT_EQ(bench.values(sum), (Rows{{5}, {160}}));
}

TEST(Reductions, Scans) {
    LaneBench bench;
    const Tile a = bench.tile({{2, 3, 4}}), b = bench.tile({{1, 1, -1}});
    const Tile dst = bench.tile(1, Dtype::Fp32, {3});
    bench.run([&](KernelBuilder& k) {
        k.tensor_tensor_scan(dst, a, AluOp::Multiply, AluOp::Add, b, {.initial = 1.0f});
    });
    EXPECT_EQ(bench.values(dst), (Rows{{3, 10, 39}}));
    bench.run([&](KernelBuilder& k) {
        k.tensor_tensor_scan(dst, a, {AluOp::Subtract, true}, AluOp::Max, b, {.initial = 1.0f});  // r - a
    });
    EXPECT_EQ(bench.values(dst), (Rows{{1, 1, -1}}));
    bench.run([&](KernelBuilder& k) {
        k.tensor_scalar_cumulative(dst, a, {AluOp::Add, 1.0f}, AluOp::Multiply);
    });
    EXPECT_EQ(bench.values(dst), (Rows{{3, 12, 60}}));
}

TEST(Reductions, MeanAndVarianceOfManyElements) {
    auto random = test::generator();
    std::normal_distribution<float> normal(3, 2);
    Rows rows(2, std::vector<float>(900));
    for (auto& row : rows) {
        for (float& x : row) x = normal(random);
    }
    LaneBench bench(test::square_target(8, 64 << 10, 4 << 10, 8));
    const Tile stats = bench.tile(2, Dtype::Fp32, {12}), result = bench.tile(2, Dtype::Fp32, {2});
    for (std::uint32_t part = 0; part < 2; ++part) {
        Rows half;
        for (const auto& row : rows)
            half.emplace_back(row.begin() + part * 450, row.begin() + (part + 1) * 450);
        const Tile x = bench.tile(half);
        bench.run([&](KernelBuilder& k) { k.bn_stats(stats.slice(0, part * 6, 6), x); });
    }
    bench.run([&](KernelBuilder& k) { k.bn_aggr(result, stats); });
    for (std::size_t row = 0; row < rows.size(); ++row) {
        double mean = 0, variance = 0;
        for (const float x : rows[row]) mean += x / 900.0;
        for (const float x : rows[row]) variance += (x - mean) * (x - mean) / 900.0;
        // Every step rounds once: at most 4 roundings an element, relative to the largest value so far.
        EXPECT_NEAR(bench.values(result)[row][0], mean, 900 * 4 * 0x1p-24 * 10);
        EXPECT_NEAR(bench.values(result)[row][1], variance, 900 * 4 * 0x1p-24 * 50);
        EXPECT_EQ(bench.values(stats)[row][0], 225.0f);
    }
}

TEST(Reductions, StatisticsOfOddCounts) {
    LaneBench bench;
    const Tile x = bench.tile({{4}}), stats = bench.tile(1, Dtype::Fp32, {6}),
               pair = bench.tile(1, Dtype::Fp32, {2});
    bench.run([&](KernelBuilder& k) { k.bn_stats(stats, x); });
    EXPECT_EQ(bench.values(stats), (Rows{{1, 4, 0, 0, 0, 0}}));
    bench.run([&](KernelBuilder& k) { k.bn_aggr(pair, stats); });
    EXPECT_EQ(bench.values(pair), (Rows{{4, 0}}));
    const Tile empty = bench.tile({{0, 0, 0, 0, 0, 0}});
    bench.run([&](KernelBuilder& k) { k.bn_aggr(pair, empty); });
    EXPECT_EQ(bench.values(pair), (Rows{{0, 0}}));
}

TEST(Scalar, ActivationsWithoutTables) {
    LaneBench bench;
    const Tile a = bench.tile({{-2, 0, 3, NAN}}), dst = bench.tile(1, Dtype::Fp32, {4});
    const auto run = [&](Activation function, const builder::Activated& options = {}) {
        bench.run([&](KernelBuilder& k) { k.activation(dst, a, function, options); });
        const Rows rows = bench.values(dst);
        EXPECT_TRUE(std::isnan(rows[0][3]));
        return std::vector<float>(rows[0].begin(), rows[0].begin() + 3);
    };
    using V = std::vector<float>;
    EXPECT_EQ(run(Activation::Copy, {.scale = 2.0f, .bias = 1.0f}), (V{-3, 1, 7}));
    EXPECT_EQ(run(Activation::Square), (V{4, 0, 9}));
    EXPECT_EQ(run(Activation::Relu), (V{0, 0, 3}));
    EXPECT_EQ(run(Activation::Abs), (V{2, 0, 3}));
    EXPECT_EQ(run(Activation::Sign), (V{-1, 0, 1}));
    EXPECT_EQ(run(Activation::Prelu, {.alpha = 0.5f}), (V{-1, 0, 3}));
}

TEST(Scalar, SumsOfActivations) {
    LaneBench bench;
    const Tile a = bench.tile({{1, 2}, {3, 4}}), dst = bench.tile(2, Dtype::Fp32, {2});
    const Tile sum = bench.tile(2, Dtype::Fp32, {1}), bias = bench.tile({{1}, {-1}});
    const auto run = [&](ReduceCmd reduce) {
        bench.run([&](KernelBuilder& k) {
            k.activation(dst, a, Activation::Square, {.bias = bias, .reduce = reduce});
        });
        bench.run([&](KernelBuilder& k) { k.act_read_accumulator(sum); });
        return bench.values(sum);
    };
    EXPECT_EQ(run(ReduceCmd::ResetReduce), (Rows{{13}, {13}}));
    EXPECT_EQ(run(ReduceCmd::Reduce), (Rows{{26}, {26}}));
    EXPECT_EQ(run(ReduceCmd::Idle), (Rows{{26}, {26}}));
    EXPECT_EQ(run(ReduceCmd::Reset), (Rows{{0}, {0}}));
}

}  // namespace
}  // namespace trnsim::functional
