// The Tensor engine on real memories against a host model: random programs over all formats, shapes, steps,
// row groups and accumulation; directed numerics corners; refusals; cycle costs.
#include <memory>

#include "tensor_bench.hpp"
#include "tests/testbench/numerics/zero_signs.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned Tiles = isa::array::RowGroups * isa::array::ColumnGroups;

// A type that a matmul takes with `stationary`.
Dtype partner(std::mt19937_64& random, Dtype stationary) {
    for (;;) {
        const Dtype dtype = Formats[random() % Formats.size()];
        if ((numerics::storage_bytes(dtype) == 4) == (numerics::storage_bytes(stationary) == 4)) return dtype;
    }
}

TEST(TensorEngine, RandomPrograms) {
    std::mt19937_64 random = generator();
    auto bench = std::make_unique<Bench>();
    const int programs = static_cast<int>((Rows > 64 ? 2 : 24) * scale());
    for (int program = 0; program < programs; ++program) {
        fill_random(bench->model, random);
        bench->fill();
        const int length = 24;
        std::array<Dtype, Tiles> loaded{};
        std::array<bool, Tiles> ready{};
        std::array<unsigned, Tiles> loaded_columns{};
        bool tile = random() % 2, column_tile = random() % 2;
        for (int n = 0; n < length; ++n) {
            if (random() % 8 == 0) {
                tile = random() % 2;
                column_tile = random() % 2;
                ready = {};
            }
            const unsigned row_group = tile ? random() % isa::array::RowGroups : 0;
            const unsigned column_group = column_tile ? random() % isa::array::ColumnGroups : 0;
            const unsigned group = column_group * isa::array::RowGroups + row_group;
            const unsigned most = tile ? Rows / isa::array::RowGroups : Rows;
            const unsigned most_columns = column_tile ? Columns / isa::array::ColumnGroups : Columns;
            const unsigned rows = random() % 3 ? most : 1 + random() % most;
            const unsigned partition = row_group * most;
            const bool reload = !ready[group] || random() % 3 != 0;
            if (reload) {
                loaded[group] = Formats[random() % Formats.size()];
                const unsigned size = numerics::storage_bytes(loaded[group]);
                const Pattern p =
                    random_pattern(random, random_count(random, most_columns), SbufUsed / size, false);
                loaded_columns[group] = p.count[0] * p.count[1] * p.count[2] * p.count[3];
                const unsigned room = SbufUsed / size - (p.high - p.low);
                Instruction i =
                    shaped(Opcode::LoadStationary, p.count)
                        .set(field::Partitions, most)
                        .set(field::RowTile, tile)
                        .set(field::ColumnTile, column_tile)
                        .set(field::ColumnGroup, column_group)
                        .set(field::Onezero, random() % 3 == 0)
                        .set(field::ADtype, loaded[group])
                        .set(field::AAddr, sbuf_address(partition, (random() % room - p.low) * size));
                set_steps(i, ASteps, p.step);
                bench->issue(i);
                ready[group] = true;
            }
            const Dtype moving = partner(random, loaded[group]);
            const unsigned size = numerics::storage_bytes(moving);
            const auto count = random_count(random, std::min(BankWords, Rows > 64 ? 48u : 96u));
            const Pattern from = random_pattern(random, count, SbufUsed / size, false);
            const Pattern to = random_pattern(random, count, BankWords, true);
            const unsigned columns =
                random() % 2 ? loaded_columns[group] : 1 + random() % loaded_columns[group];
            const unsigned lane = columns <= Lanes / 4 ? random() % 4 * (Lanes / 4) : 0;
            const unsigned word =
                random() % cfg::PsumBanks * BankWords + random() % (BankWords - (to.high - to.low)) - to.low;
            Instruction i =
                shaped(Opcode::MultiplyMoving, count)
                    .set(field::Partitions, rows)
                    .set(field::Columns, columns)
                    .set(field::RowTile, tile)
                    .set(field::ColumnTile, column_tile)
                    .set(field::ColumnGroup, column_group)
                    .set(field::Accumulate, random() % 2)
                    .set(field::Onezero, random() % 3 == 0)
                    .set(field::ADtype, moving)
                    .set(field::AAddr,
                         sbuf_address(
                             partition,
                             (random() % (SbufUsed / size - (from.high - from.low)) - from.low) * size))
                    .set(field::DstDtype, Dtype::Fp32)
                    .set(field::DstAddr, psum_address(lane, word));
            set_steps(i, ASteps, from.step);
            set_steps(i, DstSteps, to.step);
            bench->issue(i);
        }
        bench->drain();
        bench->compare("program " + std::to_string(program));
        if (HasFatalFailure()) return;
    }
}

// Infinities and NaN in fp32 operands take part in the high x high pass only.
TEST(TensorEngine, Fp32SpecialValues) {
    auto bench = std::make_unique<Bench>();
    const std::array<std::uint32_t, 10> values{0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0x00800000,
                                               0x00000001, 0x80000000, 0x3f800001, 0xbfffffff, 0x00ffffff};
    std::mt19937_64 random = generator();
    for (auto& partition : bench->model.sbuf) {
        for (unsigned w = 0; w < SbufUsed / 4; ++w) {
            const std::uint32_t bits =
                random() % 3 ? static_cast<std::uint32_t>(random()) : values[random() % values.size()];
            std::memcpy(&partition[4 * w], &bits, 4);
        }
    }
    bench->fill();
    for (unsigned n = 0; n < 4; ++n) {
        bench->issue(load(Dtype::Fp32, 1 + n, Columns, 0, 4 * n));
        bench->issue(matmul(Dtype::Fp32, 1 + n, Columns, 64, 0, 512 * n, 64 * n));
    }
    bench->drain();
    bench->compare("special values");
}

// A part of an fp32 operand that is zero has the operand's sign.
TEST(TensorEngine, ZeroPartsKeepTheirSign) {
    auto bench = std::make_unique<Bench>();
    const std::vector<SignedProduct> products = signed_products();
    const auto put = [&](unsigned row, unsigned word, std::uint32_t bits) {
        std::memcpy(&bench->model.sbuf[row][4 * word], &bits, 4);
    };
    // A one, then three words a product: what stands in PSUM before, the operands.
    put(0, 0, 0x3f800000);
    for (unsigned n = 0; n < products.size(); ++n) {
        put(0, 1 + 3 * n, products[n].before);
        for (unsigned row = 0; row < products[n].stationary.size(); ++row) {
            put(row, 2 + 3 * n, products[n].stationary[row]);
            put(row, 3 + 3 * n, products[n].moving[row]);
        }
    }
    bench->fill();
    for (unsigned n = 0; n < products.size(); ++n) {
        const auto rows = static_cast<unsigned>(products[n].stationary.size());
        if (products[n].accumulate && products[n].before != 0) {
            // Only a flushed product leaves -0, as that of the first of them.
            bench->issue(load(Dtype::Fp32, 1, 1, 0, 4 * 2));
            bench->issue(matmul(Dtype::Fp32, 1, 1, 1, 0, 4 * 3, n));
        } else if (products[n].accumulate) {
            bench->issue(load(Dtype::Fp32, 1, 1));
            bench->issue(matmul(Dtype::Fp32, 1, 1, 1, 0, 4 * (1 + 3 * n), n));
        }
        bench->issue(load(Dtype::Fp32, rows, 1, 0, 4 * (2 + 3 * n)));
        bench->issue(matmul(Dtype::Fp32, rows, 1, 1, 0, 4 * (3 + 3 * n), n)
                         .set(field::Accumulate, products[n].accumulate));
    }
    bench->drain();
    bench->compare("signs of zeros");
    for (unsigned n = 0; n < products.size(); ++n)
        EXPECT_EQ(numerics::bits_of(bench->model.psum[0][n]), products[n].result) << products[n].what;
}

// fp32 operands of 0 and 1: with the hints the result is the same; of others the low parts do not count.
TEST(TensorEngine, OnezeroLeavesLowPartsOut) {
    const auto result = [](std::uint32_t stationary, std::uint32_t moving, bool hint_stationary,
                           bool hint_moving) {
        auto bench = std::make_unique<Bench>();
        std::memcpy(&bench->model.sbuf[0][0], &stationary, 4);
        std::memcpy(&bench->model.sbuf[0][4], &moving, 4);
        bench->fill();
        bench->issue(load(Dtype::Fp32, 1, 1).set(field::Onezero, hint_stationary));
        bench->issue(matmul(Dtype::Fp32, 1, 1, 1, 0, 4).set(field::Onezero, hint_moving));
        bench->drain();
        bench->compare("hints");
        return numerics::bits_of(bench->model.psum[0][0]);
    };
    constexpr std::uint32_t One = 0x3f800000, Odd = 0x3f800fff, OddHigh = 0x3f800000;
    for (const bool hint : {false, true}) {
        EXPECT_EQ(result(One, Odd, hint, false), Odd);
        EXPECT_EQ(result(Odd, One, false, hint), Odd);
        EXPECT_EQ(result(0, Odd, hint, false), 0u);
    }
    EXPECT_EQ(result(Odd, One, true, false), OddHigh);
    EXPECT_EQ(result(One, Odd, false, true), OddHigh);
    EXPECT_EQ(result(One, One, true, true), One);
}

TEST(TensorEngine, Refusals) {
    Bench bench;
    bench.fill();
    bench.issue(load(Dtype::Bf16, Rows, Columns));
    const Instruction good = matmul(Dtype::Bf16, Rows, Columns, 16);
    EXPECT_EQ(bench.verdict(good), isa::Error::None);
    const auto with = [&](const isa::Field& f, std::uint64_t value) {
        return Instruction(good).set(f, value);
    };
    const std::vector<std::pair<Instruction, isa::Error>> cases{
        {Instruction(good).set(field::Opcode, Opcode::TensorCopy), isa::Error::IllegalInstruction},
        {with(field::AAddr, psum_address(0, 0)), isa::Error::UnsupportedOperand},
        {with(field::DstAddr, sbuf_address(0, 0)), isa::Error::UnsupportedOperand},
        {Instruction(good).set(field::ADtype, Dtype::I8), isa::Error::Dtype},
        {Instruction(good).set(field::DstDtype, Dtype::Bf16), isa::Error::Dtype},
        {Instruction(good).set(field::ADtype, Dtype::Fp32), isa::Error::Dtype},
        {Instruction(good).set(field::ADtype, Dtype::Tf32), isa::Error::Dtype},
        {Instruction(good).set(field::ADtype, Dtype::Fp8E5m2), isa::Error::None},
        {Instruction(good).set(field::Count1, 65535).set(field::Count2, 65535), isa::Error::Shape},
        {with(field::Partitions, Rows + 1), isa::Error::PartitionRange},
        {with(field::RowTile, 1), isa::Error::PartitionStart},
        {load(Dtype::Bf16, 1, Columns, Lanes / 4), isa::Error::PartitionStart},
        {load(Dtype::Bf16, Rows / 2, Columns, Rows / 2), isa::Error::PartitionStart},
        {load(Dtype::Bf16, 1, Columns, 3 * Lanes / 4), isa::Error::PartitionStart},
        {load(Dtype::Bf16, 1, Columns, Lanes / 4).set(field::RowTile, 1), isa::Error::PartitionStart},
        {load(Dtype::Bf16, Rows / 2, Columns, Rows / 2).set(field::RowTile, 1), isa::Error::None},
        {matmul(Dtype::Bf16, 1, Columns, 16, Lanes / 4), isa::Error::PartitionStart},
        {with(field::Columns, 0), isa::Error::Shape},
        {with(field::Columns, Columns + 1), isa::Error::Shape},
        {with(field::Count0, BankWords + 1), isa::Error::Shape},
        {with(field::Count0, BankWords), isa::Error::None},
        {with(field::DstAddr, psum_address(0, BankWords - 15)), isa::Error::BankCrossing},
        {with(field::DstAddr, psum_address(0, BankWords - 16)), isa::Error::None},
        {load(Dtype::Bf16, Rows, Columns + 1), isa::Error::Shape},
        {load(Dtype::Bf16, Rows, Columns / 2 + 1).set(field::ColumnTile, 1), isa::Error::Shape},
        {load(Dtype::Bf16, Rows, Columns / 2).set(field::ColumnTile, 1).set(field::ColumnGroup, 1),
         isa::Error::None},
        {load(Dtype::Bf16, Rows, 1).set(field::ColumnTile, 1).set(field::ColumnGroup, 2), isa::Error::Shape},
        {load(Dtype::Bf16, Rows, 1).set(field::ColumnGroup, 1), isa::Error::Shape},
        {with(field::ColumnTile, 1), isa::Error::Shape},
        {matmul(Dtype::Bf16, Rows, 4, 16).set(field::ColumnTile, 1), isa::Error::StationaryOperand},
        {matmul(Dtype::Bf16, Rows / 2, Columns, 16).set(field::RowTile, 1), isa::Error::StationaryOperand},
    };
    for (std::size_t i = 0; i < cases.size(); ++i)
        EXPECT_EQ(bench.verdict(cases[i].first), cases[i].second) << "case " << i;
    bench.drain();
    // A matmul within the rows and columns of the stationary operand, and not beyond.
    bench.issue(load(Dtype::Fp16, 4, 8));
    EXPECT_EQ(bench.verdict(matmul(Dtype::Bf16, 4, 8, 16)), isa::Error::None);
    EXPECT_EQ(bench.verdict(matmul(Dtype::Bf16, 5, 8, 16)), isa::Error::StationaryOperand);
    EXPECT_EQ(bench.verdict(matmul(Dtype::Bf16, 4, 9, 16)), isa::Error::StationaryOperand);
    bench.drain();
    EXPECT_EQ(Bench().verdict(good), isa::Error::StationaryOperand) << "nothing loaded yet";
}

// Published cost: max(min(64, stationary columns), moving columns) cycles back to back, four times that for
// fp32.
TEST(TensorEngine, IntervalBackToBack) {
    struct Row {
        Dtype dtype;
        unsigned columns, n;
    };
    std::vector<Row> table;
    for (const Dtype dtype : {Dtype::Bf16, Dtype::Fp8E4m3, Dtype::Tf32, Dtype::Fp32}) {
        for (const unsigned columns : {Columns, 4u}) {
            for (const unsigned n : {1u, 100u}) table.push_back({dtype, columns, n});
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
        // A load takes a cycle for eight bytes, four columns at most; it hides behind a matmul that is
        // longer.
        const unsigned interval =
            std::max(std::min(64u, row.columns), row.n) * (row.dtype == Dtype::Fp32 ? 4 : 1);
        const unsigned beat = std::min(4u, 8u / numerics::storage_bytes(row.dtype));
        const unsigned expected = std::max(interval, (row.columns + beat - 1) / beat + 1);
        const auto& done = bench.done;
        EXPECT_EQ(done[2 * Count - 1] - done[3], expected * (Count - 2))
            << name_of(row.dtype) << " columns " << row.columns << " moving " << row.n;
    }
}

// The stationary operand's port reads an aligned pair of words of every partition a cycle, of which four
// columns at most enter the array; an operand with steps of more than 16 bytes takes two cycles a read.
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
        {Dtype::Bf16, {C, 1, 1, 1}, {-1, 0}, 2 * C, C / 4 + 1},  // and unaligned
        {Dtype::Fp8E4m3, {C, 1, 1, 1}, {1, 0}, 0, C / 4},        // the array takes four columns a cycle
        {Dtype::Fp8E4m3, {C, 1, 1, 1}, {4, 0}, 0, C / 2},
        {Dtype::Tf32, {C, 1, 1, 1}, {1, 0}, 0, C / 2},
        {Dtype::Fp32, {C, 1, 1, 1}, {1, 0}, 4, C / 2 + 1},
        {Dtype::Fp16, {C, 1, 1, 1}, {2, 0}, 0, C / 2},
        {Dtype::Fp16, {C, 1, 1, 1}, {4, 0}, 0, C},      // one column a pair
        {Dtype::Fp16, {C, 1, 1, 1}, {8, 0}, 0, C},      // 16 bytes
        {Dtype::Fp16, {C, 1, 1, 1}, {9, 0}, 0, 2 * C},  // more
        {Dtype::Fp16, {C, 1, 1, 1}, {-9, 0}, 18 * C, 2 * C},
        {Dtype::Fp32, {C, 1, 1, 1}, {5, 0}, 0, 2 * C},
        {Dtype::Bf16, {4, C / 4, 1, 1}, {1, 8}, 0, C / 4},    // a pair a line
        {Dtype::Bf16, {2, C / 2, 1, 1}, {1, 2}, 0, C / 2},    // lines are read apart
        {Dtype::Bf16, {4, C / 4, 1, 1}, {1, 100}, 0, C / 4},  // the innermost step counts
        {Dtype::Bf16, {1, C, 1, 1}, {1, 9}, 0, 2 * C},        // of several elements
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
        {Dtype::Bf16, {100, 1, 1, 1}, {8, 0}, 100},
        {Dtype::Bf16, {100, 1, 1, 1}, {9, 0}, 200},
        {Dtype::Bf16, {1, 100, 1, 1}, {1, 9}, 200},
        {Dtype::Bf16, {50, 2, 1, 1}, {1, 300}, 100},
        {Dtype::Fp8E5m2, {100, 1, 1, 1}, {16, 0}, 100},
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

// An operand that has low parts, which only fp32 without the hint has, doubles the passes.
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
        EXPECT_EQ(bench.done[Count] - bench.done[1], 100 * row.passes * (Count - 1))
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

// What counters of the engine count.
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

// Tiles work together. The column groups of a row group share a port of a word of each partition a cycle: two
// streams of a 16-bit type at step 1 fill it, of 4-byte types each gets half of it.
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
    EXPECT_GE(run(columns, true, Dtype::Tf32), alone + n - 8);
    EXPECT_LT(run(columns, true, Dtype::Tf32), alone + n + Columns);
}

// Two column groups write their own partitions of one bank at the same time; the same partitions one after
// the other.
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
