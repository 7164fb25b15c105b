// The costs of Tensor instructions in cycles, and the instructions that run at the same time.
#include "tensor_bench.hpp"

namespace trnsim::test {
namespace {

// Returns the cycles from the first of `elements` that enter a tile at the full rate to the one after them.
unsigned at_full_rate(unsigned elements) {
    return elements * 1000 / cfg::TensorUtilisation;
}

// Published cost: max(min(64, stationary columns), moving columns) cycles back to back, four times that for
// fp32; the utilisation stretches the cycles of the moving columns.
TEST(TensorEngine, IntervalBackToBack) {
    struct Row {
        Dtype dtype;
        unsigned columns, n;
    };
    std::vector<Row> table;
    for (const Dtype dtype : {Dtype::Bf16, Dtype::Fp8E4m3, Dtype::Tf32, Dtype::Fp32}) {
        for (const unsigned columns : {Columns, 4u}) {
            for (const unsigned n : {1u, 53u, 100u}) table.push_back({dtype, columns, n});
        }
    }
    table.push_back({Dtype::Bf16, Columns, std::min(512u, BankWords)});
    Bench bench;
    for (const Row& row : table) {
        bench.done.clear();
        bench.accepted.clear();
        constexpr unsigned Count = 4;
        for (unsigned i = 0; i < Count; ++i) {
            bench.issue(load(row.dtype, Rows, row.columns));
            bench.issue(matmul(row.dtype, Rows, row.columns, row.n));
        }
        bench.drain();
        // A load takes a cycle for eight bytes, at most four columns; a longer matmul hides it.
        const unsigned interval =
            std::max(std::min(64u, row.columns), at_full_rate(row.n)) * (row.dtype == Dtype::Fp32 ? 4 : 1);
        const unsigned beat = std::min(4u, 8u / numerics::storage_bytes(row.dtype));
        const unsigned expected = std::max(interval, (row.columns + beat - 1) / beat + 1);
        const auto& done = bench.done;
        EXPECT_EQ(done[2 * Count - 1] - done[3], expected * (Count - 2))
            << name_of(row.dtype) << " columns " << row.columns << " moving " << row.n;
    }
}

// The stationary operand's port reads an aligned pair of words of every partition a cycle, and at most four
// of the columns in it enter the array. An operand with steps of more than 16 bytes takes two cycles for each
// read.
TEST(TensorEngine, LoadTakesCyclesOfItsPort) {
    struct Row {
        Dtype dtype;
        std::array<unsigned, 4> count;
        std::array<int, 2> step;
        unsigned byte, cycles;
    };
    constexpr unsigned C = Columns;
    const std::vector<Row> table{
        {Dtype::Bf16, {C, 1, 1, 1}, {1, 0}, 0, C / 4},
        {Dtype::Bf16, {C, 1, 1, 1}, {1, 0}, 2, C / 4 + 1},       // begins within a pair
        {Dtype::Bf16, {C, 1, 1, 1}, {-1, 0}, 2 * C - 2, C / 4},  // backwards
        {Dtype::Bf16, {C, 1, 1, 1}, {-1, 0}, 2 * C, C / 4 + 1},  // backwards and unaligned
        {Dtype::Fp8E4m3, {C, 1, 1, 1}, {1, 0}, 0, C / 4},        // the array takes four columns a cycle
        {Dtype::Fp8E4m3, {C, 1, 1, 1}, {4, 0}, 0, C / 2},
        {Dtype::Tf32, {C, 1, 1, 1}, {1, 0}, 0, C / 2},
        {Dtype::Fp32, {C, 1, 1, 1}, {1, 0}, 4, C / 2 + 1},
        {Dtype::Fp16, {C, 1, 1, 1}, {2, 0}, 0, C / 2},
        {Dtype::Fp16, {C, 1, 1, 1}, {4, 0}, 0, C},      // one column a pair
        {Dtype::Fp16, {C, 1, 1, 1}, {8, 0}, 0, C},      // 16 bytes
        {Dtype::Fp16, {C, 1, 1, 1}, {9, 0}, 0, 2 * C},  // more than 16 bytes
        {Dtype::Fp16, {C, 1, 1, 1}, {-9, 0}, 18 * C, 2 * C},
        {Dtype::Fp32, {C, 1, 1, 1}, {5, 0}, 0, 2 * C},
        {Dtype::Bf16, {4, C / 4, 1, 1}, {1, 8}, 0, C / 4},    // a pair for each line
        {Dtype::Bf16, {2, C / 2, 1, 1}, {1, 2}, 0, C / 2},    // lines are read separately
        {Dtype::Bf16, {4, C / 4, 1, 1}, {1, 100}, 0, C / 4},  // the innermost step decides
        {Dtype::Bf16, {1, C, 1, 1}, {1, 9}, 0, 2 * C},        // the innermost step with several elements
        {Dtype::Bf16, {1, C, 1, 1}, {99, 1}, 0, C},
        {Dtype::Bf16, {1, 1, 1, 1}, {99, 99}, 0, 1},
    };
    Bench bench;
    for (std::size_t n = 0; n < table.size(); ++n) {
        const Row& row = table[n];
        bench.done.clear();
        bench.accepted.clear();
        constexpr unsigned Count = 4;
        for (unsigned i = 0; i < Count; ++i) {
            bench.issue(shaped(Opcode::LoadStationary, row.count)
                            .set(field::Partitions, Rows)
                            .set(field::ADtype, row.dtype)
                            .set(field::AAddr, sbuf_address(0, row.byte))
                            .set_signed(field::AStep0, row.step[0])
                            .set_signed(field::AStep1, row.step[1]));
        }
        bench.drain();
        EXPECT_EQ(bench.done[Count - 1] - bench.done[0], row.cycles * (Count - 1)) << "row " << n;
    }
}

// Elements of the moving operand at steps of more than 16 bytes come at half rate.
TEST(TensorEngine, WideStepsHalveTheRate) {
    struct Row {
        Dtype dtype;
        std::array<unsigned, 4> count;
        std::array<int, 2> step;
        unsigned cycles;
    };
    const std::vector<Row> table{
        {Dtype::Bf16, {100, 1, 1, 1}, {8, 0}, at_full_rate(100)},
        {Dtype::Bf16, {100, 1, 1, 1}, {9, 0}, 200},
        {Dtype::Bf16, {1, 100, 1, 1}, {1, 9}, 200},
        {Dtype::Bf16, {50, 2, 1, 1}, {1, 300}, at_full_rate(100)},
        {Dtype::Fp8E5m2, {100, 1, 1, 1}, {16, 0}, at_full_rate(100)},
        {Dtype::Fp8E5m2, {100, 1, 1, 1}, {17, 0}, 200},
        {Dtype::Tf32, {100, 1, 1, 1}, {5, 0}, 200},
        {Dtype::Fp32, {100, 1, 1, 1}, {5, 0}, 800},
        {Dtype::Bf16, {16, 1, 1, 1}, {9, 0}, std::max(std::min(64u, Columns), 32u)},
    };
    Bench bench;
    for (std::size_t n = 0; n < table.size(); ++n) {
        const Row& row = table[n];
        bench.done.clear();
        bench.accepted.clear();
        constexpr unsigned Count = 4;
        bench.issue(load(row.dtype, Rows, Columns));
        for (unsigned i = 0; i < Count; ++i) {
            bench.issue(matmul(row.dtype, Rows, Columns, 1)
                            .set(field::Count0, row.count[0])
                            .set(field::Count1, row.count[1])
                            .set_signed(field::AStep0, row.step[0])
                            .set_signed(field::AStep1, row.step[1])
                            .set_signed(field::DstStep1, 1));
        }
        bench.drain();
        EXPECT_EQ(bench.done[Count] - bench.done[1], row.cycles * (Count - 1)) << "row " << n;
    }
}

// An operand with low parts, which only fp32 without the hint has, doubles the passes.
TEST(TensorEngine, PassesOfPairsOfParts) {
    struct Row {
        Dtype stationary;
        bool stationary_onezero;
        Dtype moving;
        bool moving_onezero;
        unsigned passes;
    };
    const std::vector<Row> table{
        {Dtype::Fp32, false, Dtype::Fp32, false, 4}, {Dtype::Fp32, true, Dtype::Fp32, false, 2},
        {Dtype::Fp32, false, Dtype::Fp32, true, 2},  {Dtype::Fp32, true, Dtype::Fp32, true, 1},
        {Dtype::Fp32, false, Dtype::Tf32, false, 2}, {Dtype::Tf32, false, Dtype::Fp32, false, 2},
        {Dtype::Fp32, true, Dtype::Tf32, true, 1},   {Dtype::Tf32, true, Dtype::Fp32, false, 2},
        {Dtype::Tf32, false, Dtype::Tf32, false, 1}, {Dtype::Bf16, true, Dtype::Fp16, true, 1},
    };
    Bench bench;
    for (const Row& row : table) {
        bench.done.clear();
        bench.accepted.clear();
        constexpr unsigned Count = 4;
        bench.issue(load(row.stationary, Rows, 4).set(field::Onezero, row.stationary_onezero));
        for (unsigned i = 0; i < Count; ++i)
            bench.issue(matmul(row.moving, Rows, 4, 100).set(field::Onezero, row.moving_onezero));
        bench.drain();
        EXPECT_EQ(bench.done[Count] - bench.done[1], at_full_rate(100) * row.passes * (Count - 1))
            << name_of(row.stationary) << " x " << name_of(row.moving);
    }
}

// Published: 526 to 613 cycles from issue to completion for 128 moving columns, 188 for a one-element load.
TEST(TensorEngine, IsolatedLatency) {
    if (Rows != 128) GTEST_SKIP() << "published figures are for the 128 x 128 array";
    Bench bench;
    bench.issue(load(Dtype::Bf16, Rows, 1));
    bench.drain();
    EXPECT_NEAR(static_cast<double>(bench.done[0] - bench.accepted[0]), 188, 0.1 * 188);
    bench.issue(matmul(Dtype::Bf16, Rows, 1, 128));
    bench.drain();
    const auto cycles = bench.done[1] - bench.accepted[1];
    EXPECT_GE(cycles, 526u);
    EXPECT_LE(cycles, 613u);
}

// The activities that the counters of the engine count.
TEST(TensorEngine, Activity) {
    Bench bench;
    bench.activity = {};
    for (unsigned n = 0; n < 10; ++n) bench.step();
    EXPECT_EQ(bench.activity.idle, 10u);
    const std::uint64_t begin = bench.cycle;
    bench.issue(load(Dtype::Bf16, Rows, Columns));
    bench.issue(matmul(Dtype::Bf16, Rows, Columns, 100));
    bench.issue(load(Dtype::Fp32, Rows, Columns));
    bench.issue(matmul(Dtype::Fp32, Rows, Columns, 10));
    bench.drain();
    EXPECT_EQ(bench.activity.matmul, 100u + 4 * 10);
    EXPECT_EQ(bench.activity.load_fast, Columns / 4);
    EXPECT_EQ(bench.activity.load_normal, Columns / 2);
    EXPECT_LT(bench.activity.idle, 10u + 4);
    EXPECT_GT(bench.cycle - begin, 140u);
}

// Two matmuls on the two halves of the array overlap: together they take hardly longer than one.
TEST(TensorEngine, RowGroupsRunTogether) {
    const unsigned half = Rows / 2, n = std::min(512u, BankWords);
    const auto run = [&](unsigned groups) {
        Bench bench;
        for (unsigned g = 0; g < groups; ++g)
            bench.issue(load(Dtype::Bf16, half, Columns, g * half).set(field::RowTile, 1));
        for (unsigned g = 0; g < groups; ++g) {
            bench.issue(
                matmul(Dtype::Bf16, half, Columns, n, g * half, 0, g * BankWords).set(field::RowTile, 1));
        }
        bench.drain();
        return bench.done.back() - bench.accepted.front();
    };
    EXPECT_LT(run(2), run(1) + Columns);
}

// Tiles work at the same time. The column groups of a row group share a port of one word of each partition a
// cycle: two streams of a 16-bit type at step 1 fill it; streams of 4-byte types each get half of it.
TEST(TensorEngine, TilesRunTogether) {
    const unsigned n = std::min(512u, BankWords);
    struct Tile {
        unsigned row_group, column_group;
    };
    const auto run = [&](const std::vector<Tile>& tiles, bool row_tile, Dtype dtype) {
        const unsigned rows = row_tile ? Rows / 2 : Rows;
        Bench bench;
        std::mt19937_64 random = generator();
        fill_random(bench.model, random);
        bench.fill();
        const auto place = [&](Instruction i, const Tile& tile) {
            return i.set(field::RowTile, row_tile)
                .set(field::ColumnTile, 1)
                .set(field::ColumnGroup, tile.column_group);
        };
        for (const Tile& tile : tiles)
            bench.issue(place(load(dtype, rows, Columns / 2, tile.row_group * rows), tile));
        unsigned bank = 0;
        for (const Tile& tile : tiles) {
            bench.issue(
                place(matmul(dtype, rows, Columns / 2, n, tile.row_group * rows, 64 * bank, bank * BankWords),
                      tile));
            ++bank;
        }
        bench.drain();
        bench.compare("tiles");
        return static_cast<unsigned>(bench.done.back() - bench.done[tiles.size() - 1]);
    };
    const std::vector<Tile> one{{0, 0}}, columns{{0, 0}, {0, 1}}, diagonal{{0, 0}, {1, 1}},
        all{{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    const unsigned alone = run(one, true, Dtype::Bf16);
    EXPECT_LT(run(diagonal, true, Dtype::Bf16), alone + Columns);
    EXPECT_LT(run(columns, true, Dtype::Bf16), alone + Columns);
    EXPECT_LT(run(columns, false, Dtype::Bf16), run(one, false, Dtype::Bf16) + Columns);
    EXPECT_LT(run(all, true, Dtype::Bf16), alone + 2 * Columns);
    EXPECT_LT(run(diagonal, true, Dtype::Tf32), alone + Columns);
    // Two words a partition and element go through the port, whose cycles the utilisation does not limit.
    EXPECT_GE(run(columns, true, Dtype::Tf32), alone + 2 * n - at_full_rate(n) - 8);
    EXPECT_LT(run(columns, true, Dtype::Tf32), alone + n + Columns);
}

// Two column groups write different partitions of one bank at the same time, and the same partitions one
// after the other.
TEST(TensorEngine, ColumnGroupsShareABank) {
    const unsigned n = std::min(512u, BankWords);
    const auto run = [&](unsigned second_partition) {
        Bench bench;
        std::mt19937_64 random = generator();
        fill_random(bench.model, random);
        bench.fill();
        for (unsigned c = 0; c < 2; ++c) {
            bench.issue(load(Dtype::Bf16, Rows, Columns / 2, 0, 64 * c)
                            .set(field::ColumnTile, 1)
                            .set(field::ColumnGroup, c));
        }
        for (unsigned c = 0; c < 2; ++c) {
            bench.issue(matmul(Dtype::Bf16, Rows, Columns / 2, n, 0, 64 * c)
                            .set(field::ColumnTile, 1)
                            .set(field::ColumnGroup, c)
                            .set(field::Accumulate, c)
                            .set(field::DstAddr, psum_address(c * second_partition, 0)));
        }
        bench.drain();
        bench.compare("one bank");
        return static_cast<unsigned>(bench.done[3] - bench.done[2]);
    };
    EXPECT_LT(run(Lanes / 2), 16u);
    EXPECT_GE(run(0), n);
}

}  // namespace
}  // namespace trnsim::test
