// Tests search and movement between partitions. The small target has quadrants of two partitions.
#include <gtest/gtest.h>

#include <cmath>

#include "testbench/functional/lane_bench.hpp"

namespace trnsim::functional {
namespace {

using builder::KernelBuilder;
using builder::Tile;
using isa::Dtype;
using Rows = LaneBench::Rows;

TEST(Search, EightLargest) {
    LaneBench bench;
    const Tile a = bench.tile({{3, -1, 7, 7, -0.0f, 0, INFINITY, -5, 2, -INFINITY}});
    const Tile dst = bench.tile(1, Dtype::Fp32, {8});
    bench.run([&](KernelBuilder& k) { k.max8(dst, a); });
    EXPECT_EQ(bench.values(dst), (Rows{{INFINITY, 7, 7, 3, 2, 0, -0.0f, -1}}));
    EXPECT_EQ(bench.bits(dst, 0, 5), 0u);  // +0 is above -0
    EXPECT_EQ(bench.bits(dst, 0, 6), 0x80000000u);
    const Tile nan = bench.tile({{1, NAN, 2, 3, 4, 5, 6, INFINITY}});
    bench.run([&](KernelBuilder& k) { k.max8(dst, nan); });
    EXPECT_TRUE(std::isnan(bench.values(dst)[0][0]));
    EXPECT_EQ(bench.values(dst)[0][1], INFINITY);
}

TEST(Search, FirstIndices) {
    LaneBench bench;
    const Tile a = bench.tile({{5, 6, 5, -0.0f, NAN, 8, 9, 10}});
    const Tile wanted = bench.tile({{5, 6, 0, NAN, 10, 7, 5, 8}});
    const Tile dst = bench.tile(1, Dtype::U16, {8});
    bench.run([&](KernelBuilder& k) { k.find_index8(dst, a, wanted); });
    EXPECT_EQ(bench.values(dst), (Rows{{0, 1, 3, 65535, 7, 65535, 0, 5}}));
}

TEST(Search, EveryValueReplacesOneElement) {
    LaneBench bench;
    const Tile a = bench.tile({{5, 5, 5, 6, 7}}), wanted = bench.tile({{5, 1, 2, 5, 7, 9, 9, 9}});
    const Tile dst = bench.tile(1, Dtype::Fp32, {5});
    bench.run([&](KernelBuilder& k) { k.match_replace8(dst, a, wanted, -1.0f); });
    EXPECT_EQ(bench.values(dst), (Rows{{-1, -1, 5, 6, -1}}));
}

TEST(Movement, ShuffleWithinQuadrants) {
    LaneBench bench;
    const Tile a = bench.tile({{1}, {2}, {3}, {4}}), dst = bench.tile({{-1}, {-2}, {-3}, {-4}});
    bench.run([&](KernelBuilder& k) { k.stream_shuffle(dst, a); });
    EXPECT_EQ(bench.values(dst), (Rows{{-1}, {-2}, {-3}, {-4}}));  // after reset no row is written
    const std::uint8_t swap[] = {1, 0}, spread[] = {255, 0};
    bench.run([&](KernelBuilder& k) {
        k.load_shuffle_mask(swap);
        k.stream_shuffle(dst, a);
    });
    EXPECT_EQ(bench.values(dst), (Rows{{2}, {1}, {4}, {3}}));
    bench.run([&](KernelBuilder& k) {
        k.load_shuffle_mask(spread);
        k.stream_shuffle(dst, a);
    });
    EXPECT_EQ(bench.values(dst), (Rows{{2}, {1}, {4}, {3}}));
    bench.run([&](KernelBuilder& k) {
        k.load_shuffle_mask(swap);
        k.tensor_copy(dst, a);
    });
    const Tile one = a.partition_slice(0, 1), to = dst.partition_slice(0, 1);
    EXPECT_THROW(bench.run([&](KernelBuilder& k) { k.stream_shuffle(to, one); }), Error);
}

TEST(Movement, TransposesBlocks) {
    LaneBench bench;
    const Tile a = bench.tile({{1, 2, 3, 4}, {5, 6, 7, 8}}), dst = bench.tile(2, Dtype::Fp32, {4});
    bench.run([&](KernelBuilder& k) { k.transpose_block(dst, a); });
    EXPECT_EQ(bench.values(dst), (Rows{{1, 5, 3, 7}, {2, 6, 4, 8}}));
    const Tile row = bench.tile(Dtype::U8, {{1, 2}}), column = bench.tile(2, Dtype::U8, {1});
    bench.run([&](KernelBuilder& k) { k.transpose_block(column, row); });
    EXPECT_EQ(bench.values(column), (Rows{{1}, {2}}));
}

// All lanes read an element before any of them overwrites it, for any partitions.
TEST(Movement, CopiesDownOverItself) {
    LaneBench bench;
    const Tile all = bench.tile({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 9}, {9, 9}});
    bench.run([&](KernelBuilder& k) { k.tensor_copy(all.partition_slice(2, 2), all.partition_slice(0, 2)); });
    EXPECT_EQ(bench.values(all), (Rows{{1, 2}, {3, 4}, {1, 2}, {3, 4}, {9, 9}, {9, 9}}));
    bench.run([&](KernelBuilder& k) { k.tensor_copy(all.partition_slice(0, 4), all.partition_slice(0, 4)); });
    EXPECT_EQ(bench.values(all), (Rows{{1, 2}, {3, 4}, {1, 2}, {3, 4}, {9, 9}, {9, 9}}));
}

}  // namespace
}  // namespace trnsim::functional
