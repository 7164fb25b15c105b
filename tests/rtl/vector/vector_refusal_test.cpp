// The instructions that the engine refuses, and the reasons.
#include <algorithm>
#include <array>
#include <utility>

#include "tests/rtl/vector/vector_fixture.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;
using isa::AluOp;
using isa::Dtype;
using isa::Error;
using isa::ReduceCmd;

class VectorRefusal : public VectorFixture {
  protected:
    void expect(const isa::Instruction& instruction, Error error) {
        EXPECT_EQ(bench_.reject(instruction), error);
    }
    void expect(isa::Instruction instruction, const isa::Field& where, std::uint64_t value, Error error) {
        EXPECT_EQ(bench_.reject(instruction.set(where, value)), error) << where.name << " = " << value;
    }
};

TEST_F(VectorRefusal, OfElementwiseInstructions) {
    const Tensors t = tensors(8);
    const isa::Instruction good =
        tensor_scalar(t, {AluOp::Add}, {8192, true}, {AluOp::Multiply}, {0x3f800000});
    EXPECT_EQ(bench_.reject(good), Error::None);
    constexpr std::array<std::pair<int, int>, 2> Implemented{{{0x20, 0x34}, {0x37, 0x39}}};
    for (int opcode = 0; opcode < 256; ++opcode) {
        const bool implemented = std::ranges::any_of(
            Implemented, [&](const auto& range) { return opcode >= range.first && opcode <= range.second; });
        isa::Instruction instruction = tensor_tensor(t, {});
        instruction.set(field::Opcode, opcode);
        EXPECT_EQ(bench_.reject(instruction) != Error::IllegalInstruction, implemented) << opcode;
    }
    for (unsigned op = 0; op < 64; ++op) {
        const bool bits = op >= 16 && op <= 21;
        const bool arithmetic = op < 30 && !bits && op != 24 && op != 25;
        const Error on_fp32 = arithmetic ? Error::None : bits ? Error::Dtype : Error::UnsupportedOperand;
        expect(good, field::Op0, op, arithmetic ? Error::None : Error::UnsupportedOperand);
        expect(good, field::Op1, op, arithmetic ? Error::None : Error::UnsupportedOperand);
        expect(tensor_copy(t), field::Op0, op, op == 0 ? Error::None : Error::UnsupportedOperand);
        expect(tensor_tensor(t, {}), field::Op0, op, on_fp32);
        expect(tensor_tensor(t, {}), field::Op1, op, op == 0 ? Error::None : Error::UnsupportedOperand);
    }
    expect(good, field::Rounding, 1, Error::None);
    expect(good, field::Rounding, 2, Error::None);
    expect(good, field::Rounding, 3, Error::UnsupportedOperand);
    expect(good, field::ReduceCmd, 1, Error::UnsupportedOperand);
    Tensors both = t;
    both.a.psum = both.b.psum = true;
    EXPECT_EQ(bench_.reject(tensor_tensor(both, {AluOp::Add})), Error::UnsupportedOperand);
    EXPECT_EQ(bench_.reject(scalar_tensor_tensor(both, {AluOp::Add}, {}, {AluOp::Add})),
              Error::UnsupportedOperand);

    expect(good, field::Imm0, PsumBase, Error::UnsupportedOperand);
    expect(good, field::Imm0, 0xfffffffc, Error::UnsupportedOperand);
    expect(good, field::Imm0, SbufBytes - 4, Error::None);
    isa::Instruction second = good;
    second.set(field::Imm1Vector, 1);
    expect(second, field::Imm1, 64, Error::None);
    expect(second, field::Imm1, PsumBase + 64, Error::UnsupportedOperand);
    // Fields that are not read do not matter.
    isa::Instruction unread =
        tensor_scalar(t, {AluOp::Relu}, {0xffffffff, true}, {AluOp::Bypass}, {0xffffffff, true});
    EXPECT_EQ(bench_.reject(unread), Error::None);
    expect(unread, field::Reverse1, 1, Error::UnsupportedOperand);
}

TEST_F(VectorRefusal, OfOperations) {
    const Tensors t = tensors(6);
    const isa::Instruction reduce = tensor_reduce(t, AluOp::Add, 1);
    const isa::Instruction accumulate = tensor_scalar_reduce(t, {}, {}, AluOp::Add, ReduceCmd::Reduce);
    const isa::Instruction scan = tensor_tensor_scan(t, {}, {}, {});
    const isa::Instruction cumulate = tensor_scalar_cumulative(t, {}, {}, {});
    for (const auto& good : {reduce, accumulate, scan, cumulate}) expect(good, Error::None);
    for (unsigned op = 0; op < 64; ++op) {
        const auto in = [&](const auto& list) {
            return std::ranges::find(list, static_cast<AluOp>(op)) != list.end();
        };
        const Error arithmetic = in(AllOps) ? Error::None : Error::UnsupportedOperand;
        const Error reducing = in(ReducingOps) ? Error::None : Error::UnsupportedOperand;
        expect(reduce, field::Op0, op, in(ReducingBitOps) ? Error::Dtype : reducing);
        expect(accumulate, field::Op0, op, arithmetic);
        expect(accumulate, field::Op1, op, reducing);
        expect(scan, field::Op0, op, arithmetic);
        expect(scan, field::Op1, op, arithmetic);
        expect(cumulate, field::Op0, op, arithmetic);
        expect(cumulate, field::Op1, op, arithmetic);
    }
    expect(reduce, field::Reverse0, 1, Error::UnsupportedOperand);
    expect(reduce, field::Op1, 1, Error::UnsupportedOperand);
    expect(accumulate, field::Reverse1, 1, Error::UnsupportedOperand);
    expect(accumulate, field::Reverse0, 1, Error::None);
    // Bit operations do not mix with others.
    Tensors bits = t;
    bits.a.dtype = bits.b.dtype = bits.dst.dtype = Dtype::I16;
    expect(tensor_scalar(bits, {AluOp::BitwiseAnd}, {}, {AluOp::ShiftLeft}, {}), Error::None);
    expect(tensor_scalar(bits, {AluOp::BitwiseAnd}, {}, {}, {}), Error::None);
    expect(tensor_scalar(bits, {AluOp::BitwiseAnd}, {}, {AluOp::Add}, {}), Error::UnsupportedOperand);
    expect(tensor_scalar(bits, {AluOp::Max}, {}, {AluOp::BitwiseOr}, {}), Error::UnsupportedOperand);
    expect(scalar_tensor_tensor(bits, {}, {}, {AluOp::BitwiseOr}), Error::UnsupportedOperand);
}

TEST_F(VectorRefusal, OfTypes) {
    for (Dtype dtype : AllDtypes) {
        Tensors t = tensors(4);
        t.a.dtype = t.b.dtype = t.dst.dtype = Dtype::U16;
        const auto verdict = [&](const isa::Instruction& instruction) { return bench_.reject(instruction); };
        const bool integer = std::ranges::find(Integers, dtype) != Integers.end();
        const Error as_bits = dtype == Dtype::U16 || dtype == Dtype::I16 ? Error::None : Error::Dtype;
        for (RandomOperand Tensors::*operand : {&Tensors::a, &Tensors::b, &Tensors::dst}) {
            Tensors mixed = t;
            (mixed.*operand).dtype = dtype;
            EXPECT_EQ(verdict(tensor_tensor(mixed, {AluOp::BitwiseXor})), as_bits);
            if (operand == &Tensors::b) continue;
            EXPECT_EQ(verdict(tensor_scalar(mixed, {AluOp::ShiftLeft}, {}, {}, {})), as_bits);
            EXPECT_EQ(verdict(tensor_reduce(mixed, AluOp::BitwiseOr, 1)), as_bits);
        }
        Tensors predicate = t;
        predicate.a.dtype = dtype;
        EXPECT_EQ(verdict(tensor_copy_predicated(predicate)), integer ? Error::None : Error::Dtype);
        EXPECT_EQ(verdict(predicated_immediate(predicate, {})), integer ? Error::None : Error::Dtype);
        Tensors source = t;
        source.b.dtype = dtype;
        EXPECT_EQ(verdict(tensor_copy_predicated(source)), dtype == Dtype::U16 ? Error::None : Error::Dtype);
        EXPECT_EQ(verdict(predicated_immediate(source, {})), Error::None);
        EXPECT_EQ(verdict(select_reduce(source, {})), integer ? Error::None : Error::Dtype);
    }
}

TEST_F(VectorRefusal, OfModesAndShapes) {
    Tensors t = tensors(6);
    t.a.dtype = t.b.dtype = Dtype::U8;
    t.dst.dtype = Dtype::U8;
    const isa::Instruction reduce = tensor_reduce(t, AluOp::Add, 1);
    for (unsigned axes = 0; axes < 8; ++axes)
        expect(reduce, field::ReduceAxes, axes,
               axes >= 1 && axes <= 4 ? Error::None : Error::UnsupportedOperand);
    for (ReduceCmd cmd : {ReduceCmd::Idle, ReduceCmd::Reset, ReduceCmd::Reduce, ReduceCmd::ResetReduce}) {
        const auto allowed = [](bool yes) { return yes ? Error::None : Error::UnsupportedOperand; };
        const bool idle = cmd == ReduceCmd::Idle, load = cmd == ReduceCmd::Reset;
        expect(tensor_scalar_reduce(t, {}, {}, AluOp::Max, cmd), allowed(!idle));
        expect(tensor_scalar_reduce(t, {}, {}, AluOp::Max, cmd, {0x3f800000}), allowed(load));
        expect(tensor_scalar_reduce(t, {}, {}, AluOp::Max, cmd, {0, true}), allowed(load));
        expect(select_reduce(t, {}, cmd), allowed(!load));
        for (isa::Instruction other :
             {reduce, tensor_copy(t), tensor_tensor(t, {}), tensor_tensor_scan(t, {}, {}, {}), bn_stats(t),
              bn_aggr(t), reciprocal(t), tensor_copy_predicated(t), tensor_scalar_cumulative(t, {}, {}, {})})
            expect(other.set(field::ReduceCmd, cmd), allowed(idle));
    }
    const isa::Instruction cumulate = tensor_scalar_cumulative(t, {}, {}, {});
    expect(cumulate, field::Imm1, 1, Error::UnsupportedOperand);
    expect(cumulate, field::Imm1Vector, 1, Error::UnsupportedOperand);
    for (const isa::Instruction& instruction : {bn_stats(t), bn_aggr(t), reciprocal(t)}) {
        for (const isa::Field* where : {&field::Op0, &field::Op1, &field::Reverse0, &field::Reverse1,
                                        &field::Negate, &field::ReduceAxes})
            expect(instruction, *where, 1, Error::UnsupportedOperand);
    }
    for (const isa::Instruction& instruction :
         {tensor_tensor(t, {}), tensor_tensor_scan(t, {}, {}, {}), select_reduce(t, {})})
        expect(instruction, field::BImmediate, 1, Error::UnsupportedOperand);
    expect(select_reduce(t, {}), field::Op0, 1, Error::UnsupportedOperand);
    expect(tensor_copy_predicated(t), field::Op1, 1, Error::UnsupportedOperand);

    Tensors one = tensors(1);
    expect(read_accumulator(one), Error::None);
    for (const isa::Field* count : {&field::Count0, &field::Count1, &field::Count2, &field::Count3}) {
        expect(read_accumulator(one), *count, 2, Error::Shape);
        expect(bn_stats(one), *count, 512, Error::None);
        expect(bn_stats(one), *count, 513, Error::Shape);
        expect(bn_stats(one), *count, 65535, Error::Shape);
        expect(bn_aggr(one), *count, 4, Error::Shape);
        expect(bn_aggr(one), *count, 9, Error::None);
    }
    Tensors psum = t;
    psum.a.psum = psum.b.psum = true;
    expect(tensor_tensor_scan(psum, {}, {}, {}), Error::UnsupportedOperand);
    expect(tensor_copy_predicated(psum), Error::UnsupportedOperand);
    expect(select_reduce(psum, {}), Error::UnsupportedOperand);
    expect(predicated_immediate(psum, {}), Error::None);
}

TEST_F(VectorRefusal, OfSearches) {
    Tensors t = tensors(8);
    t.dst.dtype = Dtype::U16;
    for (const isa::Instruction& good : {max8(t), find_index8(t), match_replace8(t, {})}) {
        expect(good, Error::None);
        expect(good, field::Count0, 16384, Error::None);
        expect(good, field::Count0, 16385, Error::Shape);
        expect(isa::Instruction(good).set(field::Count0, 128), field::Count1, 129, Error::Shape);
        expect(good, field::Op0, 1, Error::UnsupportedOperand);
        expect(good, field::Reverse1, 1, Error::UnsupportedOperand);
        expect(good, field::ReduceCmd, 1, Error::UnsupportedOperand);
        expect(good, field::Rounding, 3, Error::UnsupportedOperand);
    }
    for (const isa::Instruction& eight : {max8(t), find_index8(t)}) {
        expect(eight, field::Count0, 7, Error::Shape);
        expect(isa::Instruction(eight).set(field::Count0, 4), field::Count2, 2, Error::None);
    }
    expect(match_replace8(t, {}), field::Count0, 1, Error::None);
    Tensors psum = t;
    psum.a.psum = psum.b.psum = true;
    expect(find_index8(psum), Error::UnsupportedOperand);
    expect(match_replace8(psum, {}), Error::UnsupportedOperand);
    expect(match_replace8(t, {PsumBase, true}), Error::UnsupportedOperand);
    for (Dtype dtype : AllDtypes) {
        t.dst.dtype = dtype;
        expect(find_index8(t), dtype == Dtype::U16 || dtype == Dtype::U32 ? Error::None : Error::Dtype);
    }
}

TEST_F(VectorRefusal, OfRandomNumbers) {
    Tensors t = tensors(4);
    expect(dropout(t, {0x3f000000}), Error::None);
    expect(dropout(t, {0x3f000000}), field::Op1, 1, Error::UnsupportedOperand);
    expect(dropout(t, {PsumBase, true}), Error::UnsupportedOperand);
    for (Dtype dtype : AllDtypes) {
        const bool integer = std::ranges::find(Integers, dtype) != Integers.end();
        t.dst.dtype = dtype;
        expect(rng(t), integer ? Error::None : Error::Dtype);
        RandomOperand seed;
        seed.dtype = dtype;
        expect(set_rng_seed(seed), dtype == Dtype::U32 || dtype == Dtype::I32 ? Error::None : Error::Dtype);
        seed.dtype = Dtype::U32;
        expect(set_rng_seed(seed), field::Partitions, 2, Error::Shape);
        expect(set_rng_seed(seed), field::Count3, 2, Error::Shape);
    }
}

// A probability of floats may have any float type; every other operand in place of an immediate is fp32.
TEST_F(VectorRefusal, OfTypesOfImmediates) {
    Tensors t = tensors(12);
    for (const unsigned code : {0u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 11u, 13u, 14u, 15u}) {
        const bool is_float = code == 0 || code == 6 || code == 7 || code == 11 || code >= 13;
        const Error others = code == 0 ? Error::None : Error::Dtype;
        for (const Dtype dtype : AllDtypes) {
            t.a.dtype = t.dst.dtype = dtype;
            const bool integer = std::ranges::find(Integers, dtype) != Integers.end();
            const bool allowed = code == 0 || (is_float && !integer);
            expect(dropout(t, {8192, true}), field::Imm0Dtype, code, allowed ? Error::None : Error::Dtype);
            expect(dropout(t, {0x3f000000}), field::Imm0Dtype, code, others);
        }
        t.a.dtype = t.dst.dtype = Dtype::Fp32;
        const Operation sum{AluOp::Add};
        expect(tensor_scalar(t, sum, {8192, true}, sum, {8192, true}), field::Imm0Dtype, code, others);
        expect(tensor_scalar_reduce(t, sum, {8192, true}, AluOp::Add, ReduceCmd::Reduce), field::Imm0Dtype,
               code, others);
        expect(tensor_scalar_cumulative(t, sum, {8192, true}, sum), field::Imm0Dtype, code, others);
        for (const isa::Instruction& without :
             {tensor_copy(t), tensor_reduce(t, AluOp::Add, 1), reciprocal(t), bn_stats(t), bn_aggr(t),
              max8(t), stream_shuffle(t)})
            expect(without, field::Imm0Dtype, code, others);
    }
}

TEST_F(VectorRefusal, OfMovesBetweenPartitions) {
    Tensors t = tensors(Quadrant);
    expect(transpose_block(t), Error::None);
    expect(stream_shuffle(t), Error::None);
    t.dst.dtype = Dtype::I32;
    expect(transpose_block(t), Error::Dtype);
    expect(stream_shuffle(t), Error::Dtype);
    t.dst.dtype = Dtype::Fp32;
    // partitions, elements, allowed
    struct Case {
        unsigned partitions, elements;
        bool allowed;
    };
    for (const Case& c : {Case{32, 32, true},
                          {1, 1, true},
                          {31, 32, true},
                          {32, 5, true},
                          {128, 96, true},
                          {33, 32, false},
                          {64, 33, false},
                          {64, 16, false},
                          {16, 64, false}}) {
        t.partitions = c.partitions;
        t.count = {c.elements, 1, 1, 1};
        expect(transpose_block(t), c.allowed ? Error::None : Error::Shape);
    }

    ShuffleMask mask{};
    expect(load_shuffle_mask(mask), Error::None);
    for (unsigned entry = 0; entry < 256; ++entry) {
        mask[7] = static_cast<std::uint8_t>(entry);
        expect(load_shuffle_mask(mask),
               entry < Quadrant || entry == 255 ? Error::None : Error::PartitionRange);
    }
    // Rows of 40 partitions may take at most row 9 in their second quadrant; a mask is in force once its
    // instruction has been accepted.
    mask.fill(255);
    mask[0] = 8;
    t.count = {4, 1, 1, 1};
    for (const unsigned partitions : {8u, 9u, 32u, 40u, 41u, 64u, 128u}) {
        t.partitions = partitions;
        expect(stream_shuffle(t), Error::None);
        add(load_shuffle_mask(mask));
        run();
        expect(stream_shuffle(t), partitions % 32 == 8 ? Error::PartitionRange : Error::None);
        ShuffleMask none{};
        none.fill(255);
        add(load_shuffle_mask(none));
        run();
    }
}

}  // namespace
}  // namespace trnsim::test
