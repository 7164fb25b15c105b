// Every operation with every type and source, partition moves, address patterns, and what the engine rejects.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "testbench/numerics/format.hpp"
#include "tests/common/random.hpp"
#include "tests/rtl/vector/vector_bench.hpp"
#include "tests/rtl/vector/vector_instructions.hpp"
#include "tests/rtl/vector/vector_model.hpp"
#include "tests/rtl/vector/vector_values.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;
using isa::AluOp;
using isa::Dtype;

class VectorDirected : public ::testing::Test {
  protected:
    VectorDirected() {
        fill(bench_.memories.sbuf, 0, Area, random_);
        fill(bench_.memories.sbuf, SbufBytes - Area, Area, random_);
        fill(bench_.memories.psum, 0, PsumBytes, random_);
        golden_ = bench_.memories;
    }

    void add(const isa::Instruction& instruction) { program_.push_back(instruction); }

    // Runs what has been added and compares the memories.
    RunResult run(World world = {}) {
        const RunResult result = bench_.run(program_, world, random_);
        for (const isa::Instruction& instruction : program_) execute(instruction, golden_);
        program_.clear();
        if (const auto difference = first_difference(bench_.memories, golden_)) ADD_FAILURE() << *difference;
        return result;
    }

    static constexpr std::uint32_t Area = 16384;
    std::mt19937_64 random_ = generator();
    VectorBench bench_;
    Memories golden_;
    std::vector<isa::Instruction> program_;
};

Tensors tensors(unsigned n) {
    Tensors t;
    t.count = {n, 1, 1, 1};
    t.a.offset = 0;
    t.b.offset = 2048;
    t.dst.offset = 4096;
    return t;
}

TEST_F(VectorDirected, CopiesEveryTypeToEveryType) {
    for (Dtype from : AllDtypes) {
        for (Dtype to : AllDtypes) {
            Tensors t = tensors(67);
            t.a.dtype = from;
            t.dst.dtype = to;
            for (unsigned places = 0; places < 4; ++places) {
                t.a.psum = places & 1;
                t.dst.psum = places & 2;
                add(tensor_copy(t));
            }
            SCOPED_TRACE("from " + std::to_string(static_cast<int>(from)) + " to " +
                         std::to_string(static_cast<int>(to)));
            run();
            if (HasFailure()) return;
        }
    }
}

TEST_F(VectorDirected, EveryOperationOnEveryType) {
    for (Dtype dtype : AllDtypes) {
        for (AluOp op : AllOps) {
            for (bool reverse : {false, true}) {
                SCOPED_TRACE("type " + std::to_string(static_cast<int>(dtype)) + " op " +
                             std::to_string(static_cast<int>(op)));
                Tensors t = tensors(33);
                t.a.dtype = t.b.dtype = t.dst.dtype = dtype;
                for (unsigned places = 0; places < 3; ++places) {
                    t.a.psum = places == 1;
                    t.b.psum = places == 2;
                    t.dst.psum = places == 2;
                    add(tensor_tensor(t, {op, reverse}));
                    add(scalar_tensor_tensor(t, {op, reverse}, {0x40490fdb}, {AluOp::Subtract, reverse}));
                    add(scalar_tensor_tensor(t, {AluOp::Add}, {0x3f800000}, {op, reverse}));
                }
                add(tensor_scalar(t, {op, reverse}, {0xc0490fdb}, {}, {}));
                add(tensor_scalar(t, {AluOp::Multiply}, {0x40000000}, {op, reverse}, {0x3e000000}));
                // The immediates of partitions 0 to 127 at byte 8192 and 8196.
                add(tensor_scalar(t, {op, reverse}, {8192, true}, {AluOp::Max}, {8196, true}));
                add(tensor_scalar(t, {AluOp::Min}, {8192, true}, {op, reverse}, {8196, true}));
                add(memset(t, {0x42f6e979}));
                add(memset(t, {8192, true}));
                run();
                if (HasFailure()) return;
            }
        }
    }
}

TEST_F(VectorDirected, MovesBetweenPartitions) {
    for (unsigned partitions : {1u, 7u, 31u, 32u, 33u, 64u}) {
        const unsigned step = partitions > Quadrant ? 2 * Quadrant : Quadrant;
        for (unsigned from = 0; from < Lanes; from += step) {
            for (unsigned to = 0; to < Lanes; to += step) {
                Tensors t = tensors(5);
                t.partitions = partitions;
                t.a.partition = from;
                t.b.partition = Lanes - step - from;
                t.dst.partition = to;
                add(tensor_copy(t));
                t.a.dtype = Dtype::Bf16;
                t.b.psum = true;
                add(tensor_tensor(t, {AluOp::Add}));
                add(tensor_scalar(t, {AluOp::Multiply}, {(to << 18) + 8192, true}, {AluOp::Add},
                                  {(from << 18) + 8200, true}));
                t.dst.psum = true;
                add(tensor_copy(t));
            }
        }
    }
    run();
    Tensors t = tensors(9);
    for (unsigned partitions : {65u, 97u, 127u, 128u}) {
        t.partitions = partitions;
        add(tensor_tensor(t, {AluOp::Subtract}));
    }
    run();
}

TEST_F(VectorDirected, WalksFourDimensions) {
    Tensors t;
    t.count = {3, 4, 2, 5};
    t.a = {.offset = 4096, .dtype = Dtype::Bf16, .step = {-1, 7, -40, 100}};
    t.b = {.psum = true, .offset = 1024, .dtype = Dtype::U8, .step = {5, 0, 33, -64}};
    t.dst = {.offset = SbufBytes - 4, .dtype = Dtype::Fp32, .step = {-1, -3, -12, -24}};
    add(tensor_tensor(t, {AluOp::Multiply}));
    t.dst = {.psum = true, .offset = PsumBytes - 1, .dtype = Dtype::Fp8E5m2, .step = {-40, -10, -5, -1}};
    add(tensor_copy(t));
    // Repeated destination: the last element stays.
    t.dst = {.offset = 12288, .dtype = Dtype::Fp16, .step = {0, 0, 3, 0}};
    add(tensor_copy(t));
    // The largest step of all.
    t.count = {2, 1, 1, 1};
    t.a = {.offset = 0, .dtype = Dtype::Fp32, .step = {32767, 0, 0, 0}};
    t.dst = {.offset = SbufBytes - 4, .dtype = Dtype::Fp32, .step = {-32768, 0, 0, 0}};
    add(tensor_copy(t));
    run();
}

TEST_F(VectorDirected, SeesResultsOfTheInstructionBefore) {
    for (Dtype dtype : {Dtype::Fp32, Dtype::Bf16, Dtype::U8}) {
        for (unsigned n : {1u, 3u, 64u, 65u, 130u}) {
            const auto bytes = static_cast<unsigned>(numerics::storage_bytes(dtype));
            Tensors t = tensors(n);
            t.a.dtype = t.b.dtype = t.dst.dtype = dtype;
            t.dst.offset = 0;  // in place
            for (int k = 0; k < 4; ++k) add(tensor_tensor(t, {AluOp::Add}));
            t.dst.psum = true;
            add(tensor_copy(t));
            std::swap(t.a, t.dst);
            add(tensor_scalar(t, {AluOp::Add}, {0x3f800000}, {}, {}));
            // Last written, first read: backwards, and a single element repeated.
            t = tensors(n);
            t.a.dtype = t.b.dtype = t.dst.dtype = dtype;
            add(tensor_tensor(t, {AluOp::Add}));
            t.b.offset = t.dst.offset + (n - 1) * bytes;
            t.b.step[0] = -1;
            t.dst.offset = 12288;
            add(tensor_tensor(t, {AluOp::Subtract}));
            t.b.step[0] = 0;
            t.a.offset = t.dst.offset;
            t.dst.offset = 14336;
            add(tensor_tensor(t, {AluOp::Subtract}));
            // Written downwards and read upwards, written upwards and read downwards from the element after.
            t = tensors(n);
            t.a.dtype = t.dst.dtype = dtype;
            t.dst.offset += (n - 1) * bytes;
            t.dst.step[0] = -1;
            add(tensor_copy(t));
            t.a.offset = 4096;
            t.dst.offset = 8704;
            t.dst.step[0] = 1;
            add(tensor_copy(t));
            t.a.offset = 8704 + n * bytes;
            t.a.step[0] = -1;
            t.dst.offset = 9728;
            add(tensor_copy(t));
            // An immediate that the instruction before has just written.
            t = tensors(1);
            t.dst.offset = 8192;
            add(tensor_copy(t));
            t = tensors(n);
            add(tensor_scalar(t, {AluOp::Multiply}, {8192, true}, {}, {}));
            SCOPED_TRACE("type " + std::to_string(static_cast<int>(dtype)) + " N " + std::to_string(n));
            run();
        }
    }
}

TEST_F(VectorDirected, Rejects) {
    using isa::Error;
    const Tensors t = tensors(8);
    const isa::Instruction good =
        tensor_scalar(t, {AluOp::Add}, {8192, true}, {AluOp::Multiply}, {0x3f800000});
    EXPECT_EQ(bench_.reject(good), Error::None);
    const auto expect = [&](isa::Instruction instruction, const isa::Field& where, std::uint64_t value,
                            Error error) {
        EXPECT_EQ(bench_.reject(instruction.set(where, value)), error) << where.name << " = " << value;
    };
    constexpr std::array<std::pair<int, int>, 5> Implemented{
        {{0x20, 0x24}, {0x25, 0x29}, {0x2a, 0x2c}, {0x37, 0x37}, {0x38, 0x38}}};
    for (int opcode = 0; opcode < 256; ++opcode) {
        const bool implemented = std::ranges::any_of(
            Implemented, [&](auto range) { return opcode >= range.first && opcode <= range.second; });
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
    for (const isa::Field* count : {&field::Count0, &field::Count1, &field::Count2, &field::Count3})
        expect(good, *count, 0, Error::Shape);
    expect(good, field::Rounding, 1, Error::None);
    expect(good, field::Rounding, 2, Error::UnsupportedOperand);
    expect(good, field::Rounding, 3, Error::UnsupportedOperand);
    expect(good, field::ReduceCmd, 1, Error::UnsupportedOperand);
    Tensors both = t;
    both.a.psum = both.b.psum = true;
    EXPECT_EQ(bench_.reject(tensor_tensor(both, {AluOp::Add})), Error::UnsupportedOperand);
    EXPECT_EQ(bench_.reject(scalar_tensor_tensor(both, {AluOp::Add}, {}, {AluOp::Add})),
              Error::UnsupportedOperand);

    expect(good, field::Imm0, PsumBase, Error::UnsupportedOperand);
    expect(good, field::Imm0, 0xfffffffc, Error::UnsupportedOperand);
    expect(good, field::Imm0, 8193, Error::AddressAlign);
    expect(good, field::Imm0, 8194, Error::AddressAlign);
    expect(good, field::Imm0, SbufBytes - 4, Error::None);
    expect(good, field::Imm0, SbufBytes, Error::AddressRange);
    expect(good, field::Imm0, 32 << 18, Error::PartitionRange);
    // partitions, start partition, verdict
    struct Case {
        unsigned partitions, start;
        Error error;
    };
    for (const Case& c : {Case{32, 96, Error::None},
                          {32, 16, Error::PartitionStart},
                          {1, 127, Error::PartitionStart},
                          {33, 32, Error::PartitionStart},
                          {33, 64, Error::None},
                          {64, 64, Error::None},
                          {65, 64, Error::PartitionRange},
                          {65, 32, Error::PartitionStart},
                          {65, 0, Error::None}}) {
        isa::Instruction instruction = good;
        instruction.set(field::Partitions, c.partitions);
        expect(instruction, field::Imm0, (c.start << 18) + 64, c.error);
        instruction.set(field::Imm1Vector, 1);
        instruction.set(field::Imm0, 64);
        expect(instruction, field::Imm1, (c.start << 18) + 64, c.error);
    }
    // What is not read does not matter.
    isa::Instruction unread =
        tensor_scalar(t, {AluOp::Relu}, {0xffffffff, true}, {AluOp::Bypass}, {0xffffffff, true});
    EXPECT_EQ(bench_.reject(unread), Error::None);
    expect(unread, field::Reverse1, 1, Error::UnsupportedOperand);
}

}  // namespace
}  // namespace trnsim::test
