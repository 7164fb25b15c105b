// Commands of the microcode on an independent simulator of the instruction set, against the interpreter's
// definition of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/firmware/microcode_fixture.hpp"

namespace trnsim::test {
namespace {

TEST_F(Microcode, Memset) {
    for (std::uint64_t round = 0; round < rounds(4); ++round) {
        begin(false);
        const Shape shape = cases_.shape(core_.core);
        const MemsetArguments args{shape, cases_.tensor(shape, 0, cases_.dtype(true, true), true),
                                   cases_.chance(50) ? cases_.float_bits() : cases_.integer_bits()};
        expect_result(Command::Memset, args);
    }
}

TEST_F(Microcode, TensorCopy) {
    for (std::uint64_t round = 0; round < rounds(8); ++round) {
        const bool floats = cases_.chance(50);
        begin(floats);
        const Shape shape = cases_.shape(core_.core);
        const TensorCopyArguments args{shape, cases_.tensor(shape, 0, cases_.dtype(true, true), true),
                                       cases_.tensor(shape, 1, cases_.dtype(floats, !floats), false)};
        expect_result(Command::TensorCopy, args);
    }
}

TEST_F(Microcode, TensorTensorOfAllOperations) {
    for (std::uint32_t code = 0; code <= static_cast<std::uint32_t>(AluOp::Relu); ++code) {
        const auto op = static_cast<AluOp>(code);
        const bool bits_only = op >= AluOp::BitwiseAnd && op <= AluOp::ShiftRight;
        const bool floats_only = op == AluOp::Reciprocal || op == AluOp::Rsqrt;
        if (op == AluOp::Power) continue;
        const bool floats = floats_only || (!bits_only && cases_.chance(50));
        SCOPED_TRACE(testing::Message() << "operation " << code << (floats ? " on floats" : " on integers"));
        begin(floats);
        const Shape shape = cases_.shape(core_.core);
        const TensorTensorArguments args{shape, cases_.tensor(shape, 0, cases_.dtype(floats, !floats), true),
                                         cases_.tensor(shape, 1, cases_.dtype(floats, !floats), false),
                                         cases_.tensor(shape, 2, cases_.dtype(floats, !floats), false), op};
        expect_result(Command::TensorTensor, args);
    }
}

TEST_F(Microcode, TensorScalar) {
    static constexpr AluOp Both[] = {AluOp::Add, AluOp::Subtract, AluOp::Multiply,
                                     AluOp::Max, AluOp::Less,     AluOp::Bypass};
    static constexpr AluOp Integer[] = {AluOp::Add, AluOp::ShiftRight, AluOp::BitwiseXor, AluOp::ShiftLeft,
                                        AluOp::Min};
    for (std::uint64_t round = 0; round < rounds(8); ++round) {
        const bool floats = cases_.chance(40);
        begin(floats);
        const Shape shape = cases_.shape(core_.core);
        TensorScalarArguments args{shape,
                                   cases_.tensor(shape, 0, cases_.dtype(floats, !floats), true),
                                   cases_.tensor(shape, 1, cases_.dtype(floats, !floats), false),
                                   {},
                                   {},
                                   cases_.number(0, 15),
                                   {},
                                   {}};
        args.op0 = floats ? cases_.one_of(Both) : cases_.one_of(Integer);
        args.op1 = floats ? cases_.one_of(Both) : cases_.one_of(Integer);
        const auto immediate = [&](std::uint32_t flag, std::uint32_t region) {
            if ((args.flags & flag) != 0) return region * RegionBytes + 4 * cases_.number(0, 99);
            return floats ? cases_.float_bits() : cases_.integer_bits();
        };
        args.imm0 = immediate(TensorScalarArguments::Vector0, 2);
        args.imm1 = immediate(TensorScalarArguments::Vector1, 3);
        expect_result(Command::TensorScalar, args);
    }
}

// Rows of bf16 that fill words are processed in pairs: columns that are a multiple of all groups and such that are
// not, all partitions of the core and some, in place and not.
TEST_F(Microcode, PairsOfBf16) {
    for (const AluOp op :
         {AluOp::Add, AluOp::Subtract, AluOp::Multiply, AluOp::Max, AluOp::Min, AluOp::Square, AluOp::Relu}) {
        for (const std::uint32_t columns : {2U, 16U, 34U, 254U, 256U}) {
            SCOPED_TRACE(testing::Message()
                         << "operation " << static_cast<int>(op) << ", " << columns << " columns");
            begin(true);
            const bool part = cases_.chance(40), in_place = cases_.chance(30);
            const std::uint32_t first = core_.core * Partitions + (part ? 3 : 0);
            const Shape shape{first, part ? 9U : Partitions, {columns, cases_.chance(50) ? 1U : 2U, 1, 1}};
            const auto rows = static_cast<std::int32_t>(columns + 2 * cases_.number(0, 3));
            const Tensor dst{0, Dtype::Bf16, {1, rows, 0, 0}};
            const Tensor a{in_place ? 0 : RegionBytes + 4, Dtype::Bf16, {1, rows, 0, 0}};
            const Tensor b{2 * RegionBytes, Dtype::Bf16, {1, rows, 0, 0}};
            expect_result(Command::TensorTensor, TensorTensorArguments{shape, dst, a, b, op});
            const bool vector = cases_.chance(50), second = cases_.chance(50);
            const std::uint32_t immediate = vector ? 3 * RegionBytes : cases_.float_bits();
            TensorScalarArguments scalar{shape, dst, a, op, AluOp::Bypass, 0, immediate, immediate};
            if (second) std::swap(scalar.op0, scalar.op1);
            if (vector)
                scalar.flags = second ? TensorScalarArguments::Vector1 : TensorScalarArguments::Vector0;
            expect_result(Command::TensorScalar, scalar);
        }
    }
}

// A row of fp32 that becomes bf16, NaNs among it, in place and not; odd rows and such that begin within a word go
// through buffers.
TEST_F(Microcode, RowsRoundedToBf16) {
    for (const std::uint32_t columns : {1U, 2U, 7U, 8U, 16U, 18U, 33U, 34U, 254U, 256U}) {
        for (const std::uint32_t place : {0U, RegionBytes, RegionBytes + 2}) {
            SCOPED_TRACE(testing::Message() << columns << " columns to " << place);
            begin(true);
            const Shape shape{core_.core * Partitions, Partitions, {columns, 1, 1, 1}};
            const Tensor a{0, Dtype::Fp32, {1, 0, 0, 0}}, dst{place, Dtype::Bf16, {1, 0, 0, 0}};
            expect_result(Command::TensorCopy, TensorCopyArguments{shape, dst, a});
        }
    }
}

TEST_F(Microcode, Power) {
    begin(true);
    core_.core = 3;
    const Shape shape{48, 16, {977, 1, 1, 1}};
    const Tensor x{RegionBytes, Dtype::Fp32, {1, 0, 0, 0}}, y{2 * RegionBytes, Dtype::Fp32, {1, 0, 0, 0}};
    // A third of the exponents are small whole numbers; another third makes the result a normal number.
    for_each_element(shape, core_.core, [&](const Element& e) {
        const float base = load_float(core_.slice, x, e);
        if (cases_.chance(33))
            store_float(core_.slice, y, e, static_cast<float>(static_cast<int>(cases_.number(0, 60)) - 30));
        else if (cases_.chance(50)) {
            const float most = 126.0F / std::fabs(std::log2(std::fabs(base)));
            if (std::isfinite(most))
                store_float(core_.slice, y, e,
                            most * (static_cast<float>(cases_.number(0, 2000)) / 1000.0F - 1.0F));
        }
    });
    const Slice before = core_.slice;
    const Tensor dst{0, Dtype::Fp32, {1, 0, 0, 0}};
    expect_result(Command::TensorTensor, TensorTensorArguments{shape, dst, x, y, AluOp::Power});
    double worst = 0;
    for_each_element(shape, core_.core, [&](const Element& e) {
        const float a = load_float(before, x, e), b = load_float(before, y, e),
                    got = load_float(core_.slice, dst, e);
        const double exact = std::pow(static_cast<double>(a), static_cast<double>(b));
        const auto nearest = static_cast<float>(exact);
        if (std::isnan(exact) || std::isinf(nearest) || nearest == 0) {
            const bool same = std::isnan(exact) ? std::isnan(got)
                                                : std::bit_cast<std::uint32_t>(got) ==
                                                      std::bit_cast<std::uint32_t>(nearest);
            ASSERT_TRUE(same) << a << " ^ " << b << ": " << got << ", expected " << nearest;
            return;
        }
        const double unit = std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
        worst = std::max(worst, std::fabs(got - exact) / unit);
        ASSERT_LT(std::fabs(got - exact), 2 * unit)
            << a << " ^ " << b << ": " << got << ", expected " << nearest;
    });
    RecordProperty("units", std::to_string(worst));
}

Affine random_affine(Cases& cases) {
    Affine affine{static_cast<std::int32_t>(cases.number(0, 200)) - 100,
                  static_cast<std::int32_t>(cases.number(0, 40)) - 20,
                  {}};
    for (std::int32_t& step : affine.step) step = static_cast<std::int32_t>(cases.number(0, 20)) - 10;
    if (cases.chance(20)) affine.step[0] = static_cast<std::int32_t>(cases.integer_bits());
    return affine;
}

TEST_F(Microcode, Iota) {
    for (std::uint64_t round = 0; round < rounds(8); ++round) {
        begin(false);
        const Shape shape = cases_.shape(core_.core);
        const IotaArguments args{shape, cases_.tensor(shape, 0, cases_.dtype(true, true), true),
                                 random_affine(cases_)};
        expect_result(Command::Iota, args);
    }
}

TEST_F(Microcode, AffineSelect) {
    for (std::uint64_t round = 0; round < rounds(8); ++round) {
        const bool floats = cases_.chance(50);
        begin(floats);
        const Shape shape = cases_.shape(core_.core);
        const AffineSelectArguments args{shape,
                                         cases_.tensor(shape, 0, cases_.dtype(floats, !floats), true),
                                         cases_.tensor(shape, 1, cases_.dtype(floats, !floats), false),
                                         random_affine(cases_),
                                         cases_.one_of(Comparisons),
                                         floats ? cases_.float_bits() : cases_.integer_bits()};
        expect_result(Command::AffineSelect, args);
    }
}

TEST_F(Microcode, LocalGather) {
    static constexpr Dtype Types[] = {Dtype::I8, Dtype::U16, Dtype::Bf16, Dtype::Fp32, Dtype::I32};
    for (std::uint64_t round = 0; round < rounds(6); ++round) {
        begin(false);
        LocalGatherArguments args{
            16 * core_.core, 16, 0, RegionBytes, 2 * RegionBytes, cases_.one_of(Types), 0, 0, 0};
        args.elements = 1U << cases_.number(0, 5);
        const std::uint32_t bytes = dtype_bytes(args.dtype), group = args.elements * bytes;
        args.groups = cases_.number(1, RegionBytes / group);
        args.indices = cases_.number(1, std::min(RegionBytes / group, 77U));
        for (std::uint32_t i = 0; i < args.indices; ++i) {
            core_.slice.set(i % 16, args.index + 2 * (i / 16),
                            static_cast<std::uint16_t>(cases_.number(0, args.groups - 1)));
        }
        expect_result(Command::LocalGather, args);
    }
}

TEST_F(Microcode, LocalGatherRefusesAnIndexBeyond) {
    begin(false);
    const LocalGatherArguments args{16 * core_.core, 16, 0, RegionBytes, 2 * RegionBytes,
                                    Dtype::Fp32,     5,  2, 19};
    for (std::uint32_t i = 0; i < 19; ++i)
        core_.slice.set(i % 16, args.index + 2 * (i / 16), static_cast<std::uint16_t>(i == 18 ? 5 : 4));
    expected_ = core_.slice;
    EXPECT_EQ(core_.run(static_cast<std::uint32_t>(Command::LocalGather), args), Status::BadIndex);
    EXPECT_EQ(difference(core_.slice, expected_), "");
}

TEST_F(Microcode, PartitionReduceAndBroadcast) {
    static constexpr AluOp Integer[] = {AluOp::Add,        AluOp::Max,       AluOp::Min,
                                        AluOp::BitwiseAnd, AluOp::BitwiseOr, AluOp::BitwiseXor};
    for (std::uint64_t round = 0; round < rounds(8); ++round) {
        const bool floats = cases_.chance(50);
        begin(floats);
        const Shape shape = cases_.shape(core_.core);
        PartitionReduceArguments args{shape,
                                      cases_.tensor(shape, 0, cases_.dtype(floats, !floats), true),
                                      cases_.tensor(shape, 1, cases_.dtype(floats, !floats), false),
                                      {},
                                      0};
        args.op = floats ? Integer[cases_.number(0, 2)] : cases_.one_of(Integer);
        if (floats && cases_.chance(50)) args.divisor = cases_.number(1, 128);
        expect_result(Command::PartitionReduce, args);

        begin(false);
        const Dtype type = cases_.dtype(true, true);
        const PartitionBroadcastArguments copy{shape, cases_.tensor(shape, 0, type, true),
                                               cases_.tensor(shape, 1, type, false), cases_.number(0, 15)};
        expect_result(Command::PartitionBroadcast, copy);
    }
}

TEST_F(Microcode, SequenceBounds) {
    for (std::uint64_t round = 0; round < rounds(3); ++round) {
        begin(false);
        const bool floats = cases_.chance(50);
        const Dtype type = floats ? Dtype::Fp32 : Dtype::I32;
        const std::uint32_t p = cases_.number(0, 15), count = cases_.number(1, 301);
        const SequenceBoundsArguments args{16 * core_.core + p,
                                           count,
                                           {0, type, {1, 0, 0, 0}},
                                           {RegionBytes, Dtype::I32, {1, 0, 0, 0}},
                                           {2 * RegionBytes, type, {2, 0, 0, 0}}};
        std::vector<int> ids;
        while (ids.size() < count)
            ids.insert(ids.end(), cases_.number(1, 9), static_cast<int>(cases_.number(0, 4)));
        ids.resize(count);
        for (std::uint32_t k = 0; k < count; ++k) {
            const std::uint32_t at = 2 * RegionBytes + 8 * k;
            floats ? core_.slice.set(p, at, static_cast<float>(ids[k])) : core_.slice.set(p, at, ids[k]);
        }
        expect_result(Command::SequenceBounds, args);
    }
}

TEST_F(Microcode, SortAndTopK) {
    static constexpr Dtype Types[] = {Dtype::I32, Dtype::U32, Dtype::Fp32};
    for (std::uint64_t round = 0; round < rounds(6); ++round) {
        const Dtype type = Types[round % 3];
        begin(type == Dtype::Fp32);
        const std::uint32_t first = cases_.chance(50) ? 0 : cases_.number(0, 15),
                            partitions = first == 0 ? 16 : cases_.number(1, 16 - first);
        const std::uint32_t count = round == 0 ? 1 : cases_.number(2, 331);
        const bool few_values = cases_.chance(50);
        if (few_values) {
            for (std::uint32_t p = 0; p < 16; ++p) {
                for (std::uint32_t k = 0; k < count; ++k)
                    core_.slice.set(p, RegionBytes + 4 * k, cases_.number(0, 7) << 23);
            }
        }
        const Slice before = core_.slice;
        const std::uint32_t flags = cases_.number(0, 3);
        const SortArguments args{16 * core_.core + first, partitions, 0,     RegionBytes,
                                 2 * RegionBytes,         type,       count, flags};
        expect_result(Command::Sort, args);

        const std::uint32_t k = cases_.number(1, std::min(count, 13U));
        const TopKArguments top{args.partition, partitions, 0, RegionBytes, 2 * RegionBytes, type, count, k};
        core_.slice = before;
        expect_result(Command::TopK, top);
    }
}

// More elements are kept than a group of columns has, and equal ones move from group to group.
TEST_F(Microcode, TopKOfEqualElements) {
    for (std::uint64_t round = 0; round < rounds(4); ++round) {
        begin(false);
        const std::uint32_t count = cases_.number(8, 24), k = cases_.number(5, 8);
        for (std::uint32_t p = 0; p < 16; ++p) {
            for (std::uint32_t i = 0; i < count; ++i)
                core_.slice.set(p, RegionBytes + 4 * i, cases_.number(0, 3));
        }
        expect_result(Command::TopK, TopKArguments{16 * core_.core, 16, 0, RegionBytes, 2 * RegionBytes,
                                                   Dtype::I32, count, k});
    }
}

TEST_F(Microcode, RefusesWhatItCannotDo) {
    const Shape shape{0, 128, {7, 3, 1, 1}};
    const Tensor good{0, Dtype::I32, {1, 7, 0, 0}};
    const auto memset = [&](const Shape& s, const Tensor& t, Status status) {
        expect_refusal(Command::Memset, MemsetArguments{s, t, 1}, status);
    };
    memset({0, 0, {1, 1, 1, 1}}, good, Status::BadShape);
    memset({1, 128, {1, 1, 1, 1}}, good, Status::BadShape);
    memset({0, 16, {1, 0, 1, 1}}, good, Status::BadShape);
    memset({0, 16, {1, 1, 65537, 1}}, good, Status::BadShape);
    memset(shape, {0, static_cast<Dtype>(7), {1, 7, 0, 0}}, Status::BadDtype);
    memset(shape, {2, Dtype::I32, {1, 7, 0, 0}}, Status::Misaligned);
    memset(shape, {0, Dtype::I32, {-1, 7, 0, 0}}, Status::OutOfBounds);
    memset(shape, {PartitionBytes - 80, Dtype::I32, {1, 7, 0, 0}}, Status::OutOfBounds);
    memset({0, 128, {65536, 65536, 1, 1}}, {0, Dtype::I32, {1, 65536, 0, 0}}, Status::OutOfBounds);
    memset({0, 128, {3, 1, 1, 1}}, {0, Dtype::I32, {0x7fffffff, 0, 0, 0}}, Status::OutOfBounds);
    memset({0, 128, {3, 1, 1, 1}}, {PartitionBytes - 4, Dtype::I32, {INT32_MIN, 0, 0, 0}},
           Status::OutOfBounds);
    memset({0, 128, {2, 1, 1, 1}}, {0xfffffffc, Dtype::I32, {1, 0, 0, 0}}, Status::OutOfBounds);
    memset({0, 128, {65536, 65536, 1, 1}}, {0, Dtype::I32, {0, 0, 0, 0}}, Status::BadShape);
    memset({0, 128, {65536, 65536, 65536, 65536}}, {0, Dtype::I32, {0, 0, 0, 0}}, Status::BadShape);
    expect_refusal(Command::TensorTensor, TensorTensorArguments{shape, good, good, good, AluOp::Power},
                   Status::BadOperation);
    expect_refusal(Command::TensorTensor,
                   TensorTensorArguments{shape, good, good, good, static_cast<AluOp>(99)},
                   Status::BadOperation);
    expect_refusal(Command::TensorScalar,
                   TensorScalarArguments{shape, good, good, AluOp::Add, AluOp::Add,
                                         TensorScalarArguments::Vector0, PartitionBytes, 0},
                   Status::OutOfBounds);
    expect_refusal(Command::AffineSelect, AffineSelectArguments{shape, good, good, {}, AluOp::Add, 0},
                   Status::BadOperation);
    expect_refusal(Command::LocalGather, LocalGatherArguments{8, 16, 0, 0, 0, Dtype::I32, 1, 1, 1},
                   Status::BadShape);
    expect_refusal(Command::LocalGather, LocalGatherArguments{0, 16, 0, 0, 0, Dtype::I32, 1, 3, 1},
                   Status::BadShape);
    expect_refusal(Command::PartitionBroadcast, PartitionBroadcastArguments{shape, good, good, 16},
                   Status::BadShape);
    expect_refusal(Command::TopK, TopKArguments{0, 16, 0, 0, 0, Dtype::I32, 5, 6}, Status::BadShape);
    expect_refusal(Command::Sort, SortArguments{0, 16, 0, 0, 0, Dtype::Bf16, 5, 0}, Status::BadDtype);
    expect_refusal(Command::Count, shape, Status::UnknownCommand);
}

TEST_F(Microcode, KnowsHowManyPartitionsThereAreAndHowLargeTheyAre) {
    core_.partitions = 8;
    core_.partition_bytes = 4096;
    const Tensor ends{4096 - 20, Dtype::I32, {1, 0, 0, 0}};
    const auto memset = [&](const Shape& shape, const Tensor& dst, Status status) {
        begin(false);
        core_.core = 0;
        EXPECT_EQ(core_.run(static_cast<std::uint32_t>(Command::Memset), MemsetArguments{shape, dst, 1}),
                  status);
    };
    memset({0, 8, {5, 1, 1, 1}}, ends, Status::Ok);
    memset({0, 9, {5, 1, 1, 1}}, ends, Status::BadShape);
    memset({0, 8, {6, 1, 1, 1}}, ends, Status::OutOfBounds);
}

TEST_F(Microcode, LeavesPartitionsOfOtherCoresAlone) {
    begin(false);
    core_.core = 2;
    const Shape shape{48, 16, {5, 1, 1, 1}};
    expect_result(Command::Memset, MemsetArguments{shape, {0, Dtype::I32, {1, 0, 0, 0}}, 1});
}

}  // namespace
}  // namespace trnsim::test
