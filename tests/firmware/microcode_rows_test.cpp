// Commands of the microcode on tensors of long rows, in place and interleaved, where it does not go element
// by element.
#include "tests/firmware/microcode_fixture.hpp"

namespace trnsim::test {
namespace {

// Rows of more columns than a buffer holds, of every type, that begin anywhere in a word. There is one run,
// or rows with a gap after them.
class LongRows : public Microcode {
  protected:
    Shape shape() {
        const bool whole = cases_.chance(60);
        const std::uint32_t first = whole ? 0 : cases_.number(0, 15);
        const bool one = cases_.chance(50);
        return {16 * core_.core + first,
                whole ? 16 : cases_.number(1, 16 - first),
                {one ? cases_.number(1, 500) : cases_.number(1, 60), one ? 1 : cases_.number(2, 7), 1, 1}};
    }
    // The gap has the same number of elements for all tensors of a command, so their axes either all merge or
    // none does.
    Tensor tensor(const Shape& shape, std::uint32_t region, Dtype dtype) {
        Tensor tensor = cases_.dense(region, dtype);
        tensor.step[1] = static_cast<std::int32_t>(shape.count[0] + gap_);
        return tensor;
    }
    Tensor tensor(const Shape& shape, std::uint32_t region, bool floats) {
        return tensor(shape, region, cases_.dtype(floats, !floats));
    }
    void begin_case() {
        floats_ = cases_.chance(50);
        gap_ = cases_.chance(50) ? 0 : cases_.number(1, 4);
        begin(floats_);
    }

    bool floats_ = false;
    std::uint32_t gap_ = 0;
};

TEST_F(LongRows, TensorTensorAndScalar) {
    for (std::uint64_t round = 0; round < rounds(6); ++round) {
        begin_case();
        const Shape rows = shape();
        const Tensor dst = tensor(rows, 0, floats_), a = tensor(rows, 1, floats_),
                     b = tensor(rows, 2, floats_);
        expect_result(Command::TensorTensor, TensorTensorArguments{rows, dst, a, b, AluOp::Subtract});
        const TensorScalarArguments two{rows,
                                        dst,
                                        a,
                                        AluOp::Subtract,
                                        AluOp::Max,
                                        cases_.number(0, 15),
                                        3 * RegionBytes,
                                        3 * RegionBytes + 4};
        expect_result(Command::TensorScalar, two);
    }
}

TEST_F(LongRows, CopiesAndConstants) {
    for (std::uint64_t round = 0; round < rounds(6); ++round) {
        begin_case();
        const Shape rows = shape();
        const Tensor a = tensor(rows, 1, floats_);
        expect_result(Command::TensorCopy,
                      TensorCopyArguments{rows, tensor(rows, 0, cases_.dtype(true, true)), a});
        const Tensor same = tensor(rows, 2, a.dtype);
        expect_result(Command::TensorCopy, TensorCopyArguments{rows, same, a});
        expect_result(Command::PartitionBroadcast,
                      PartitionBroadcastArguments{rows, same, a, cases_.number(0, 15)});
        expect_result(Command::PartitionReduce,
                      PartitionReduceArguments{rows, tensor(rows, 3, floats_), a, AluOp::Add, 0});
        expect_result(Command::Memset, MemsetArguments{rows, a, cases_.float_bits()});
    }
}

// The values change their sign within the columns, at once or in some partitions first, or wrap around.
TEST_F(LongRows, AffineValuesAroundZero) {
    for (std::uint64_t round = 0; round < rounds(12); ++round) {
        begin_case();
        const Shape rows = shape();
        const auto columns = static_cast<std::int32_t>(rows.count[0] * rows.count[1]);
        Affine affine{0, static_cast<std::int32_t>(cases_.number(0, 6)) - 3, {}};
        affine.step[0] = static_cast<std::int32_t>(cases_.number(0, 6)) - 3;
        affine.step[1] = affine.step[0] * static_cast<std::int32_t>(rows.count[0]);
        affine.base = -affine.step[0] *
                      static_cast<std::int32_t>(cases_.number(0, static_cast<std::uint32_t>(columns)));
        if (cases_.chance(30)) affine.base = static_cast<std::int32_t>(cases_.number(0, 60) + 0x7fffffe0);
        const Tensor dst = tensor(rows, 0, floats_);
        const AffineSelectArguments select{rows,
                                           dst,
                                           tensor(rows, 1, floats_),
                                           affine,
                                           cases_.one_of(Comparisons),
                                           floats_ ? cases_.float_bits() : cases_.integer_bits()};
        expect_result(Command::AffineSelect, select);
        AffineSelectArguments in_place = select;
        in_place.a = dst;
        expect_result(Command::AffineSelect, in_place);
        expect_result(Command::Iota, IotaArguments{rows, tensor(rows, 2, cases_.dtype(true, true)), affine});
    }
}

// The destination is one of its sources, or lies between their elements.
TEST_F(Microcode, InPlaceAndInterleaved) {
    for (std::uint64_t round = 0; round < rounds(4); ++round) {
        const bool floats = cases_.chance(50);
        begin(floats);
        const Shape shape = cases_.shape(core_.core);
        const Tensor dst = cases_.tensor(shape, 0, cases_.dtype(floats, !floats), true),
                     other = cases_.tensor(shape, 1, cases_.dtype(floats, !floats), false);
        expect_result(Command::TensorTensor, TensorTensorArguments{shape, dst, dst, other, AluOp::Subtract});
        expect_result(Command::TensorTensor, TensorTensorArguments{shape, dst, other, dst, AluOp::Subtract});
        expect_result(Command::TensorScalar,
                      TensorScalarArguments{shape, dst, dst, AluOp::Add, AluOp::Subtract,
                                            TensorScalarArguments::Reverse1, 3, 0x40400000});
        expect_result(Command::TensorCopy, TensorCopyArguments{shape, dst, dst});

        const Dtype type = cases_.dtype(floats, !floats);
        const Shape row{16 * core_.core, 16, {cases_.number(1, 300), 1, 1, 1}};
        const Tensor even{RegionBytes, type, {2, 0, 0, 0}},
            odd{RegionBytes + dtype_bytes(type), type, {2, 0, 0, 0}};
        expect_result(Command::TensorTensor, TensorTensorArguments{row, odd, even, odd, AluOp::Subtract});
        expect_result(Command::Memset, MemsetArguments{row, even, 0x3f800000});
    }
}

}  // namespace
}  // namespace trnsim::test
