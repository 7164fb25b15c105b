// The Tensor engine on real memories beside a host model: random programs over all formats, shapes, steps,
// row groups and accumulation; corner cases of the numerics; refusals.
#include <memory>

#include "tensor_bench.hpp"
#include "tests/arch/numerics/zero_signs.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned Tiles = isa::array::RowGroups * isa::array::ColumnGroups;

// Returns a type that a matmul takes with `stationary`.
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
        bench->held = std::array{0, 4, 15}[random() % 3];
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

// Results go to PSUM in the order of the elements, pass after pass, also where a matmul names a word several
// times: with a step of 0, with steps that meet, in one pass and in four, overwriting and accumulating.
TEST(TensorEngine, WordsNamedSeveralTimes) {
    std::mt19937_64 random = generator();
    for (const Dtype dtype : {Dtype::Bf16, Dtype::Tf32, Dtype::Fp32}) {
        auto bench = std::make_unique<Bench>();
        fill_random(bench->model, random);
        bench->fill();
        bench->issue(load(dtype, 3, 5));
        unsigned word = 0;
        for (const std::array<int, 2>& steps : {std::array{0, 0}, {1, 1}, {0, 1}, {-1, 3}}) {
            // The words hold sums before: the first matmul writes each of them once.
            bench->issue(matmul(dtype, 3, 5, 24, 0, 64, word));
            for (const bool accumulate : {true, false}) {
                Instruction i = matmul(dtype, 3, 5, 4, 0, 256, word + 4)
                                    .set(field::Count1, 3)
                                    .set(field::Accumulate, accumulate);
                set_steps(i, ASteps, {1, 4, 0, 0});
                set_steps(i, DstSteps, {steps[0], steps[1], 0, 0});
                bench->issue(i);
            }
            word += 32;
        }
        bench->drain();
        bench->compare("repeated words");
    }
}

// A zero part of an fp32 operand has the operand's sign.
TEST(TensorEngine, ZeroPartsKeepTheirSign) {
    auto bench = std::make_unique<Bench>();
    const std::vector<SignedProduct> products = signed_products();
    const auto put = [&](unsigned row, unsigned word, std::uint32_t bits) {
        std::memcpy(&bench->model.sbuf[row][4 * word], &bits, 4);
    };
    // The first word is a one; then each product has three words: the previous content of PSUM and the
    // operands.
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
            // Only a flushed product leaves -0, and the first of them is one.
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

// For fp32 operands of 0 and 1 the hints do not change the result; for other operands they remove the low
// parts.
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
    // A matmul stays within the rows and columns of the stationary operand.
    bench.issue(load(Dtype::Fp16, 4, 8));
    EXPECT_EQ(bench.verdict(matmul(Dtype::Bf16, 4, 8, 16)), isa::Error::None);
    EXPECT_EQ(bench.verdict(matmul(Dtype::Bf16, 5, 8, 16)), isa::Error::StationaryOperand);
    EXPECT_EQ(bench.verdict(matmul(Dtype::Bf16, 4, 9, 16)), isa::Error::StationaryOperand);
    bench.drain();
    EXPECT_EQ(Bench().verdict(good), isa::Error::StationaryOperand) << "nothing loaded yet";
}

}  // namespace
}  // namespace trnsim::test
