// The checks on data-path instructions: every limit from both sides, and random operands compared with a
// second implementation that visits the elements one by one.
#include <gtest/gtest.h>

#include <functional>

#include "common/random.hpp"
#include "rtl/control/control_bench.hpp"

namespace trnsim::test {
namespace {

using isa::Dtype;
using isa::Error;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

constexpr int Tensor = 0, Vector = 1, Scalar = 2;
constexpr unsigned SbufBytes = 196608, PsumBytes = 16384, Lanes = 128;

// Returns the core's verdict on the instruction at pc 1 of the engine's program; a legal one completes.
Fault verdict_of(ControlBench& bench, int engine, const Instruction& instruction) {
    bench.reset();
    bench.expect_no_error = false;
    bench.run_program(engine, {Instruction(Opcode::Nop), instruction, halt()}, 0x4000);
    EXPECT_TRUE(bench.finish(1000));
    if (!bench.error()) {
        EXPECT_EQ(bench.completed[engine], 3u);
        return {Error::None, 0, 0, 0, 0};
    }
    EXPECT_EQ(bench.issued[engine], 0u) << "an illegal instruction was handed over";
    EXPECT_EQ(bench.state(engine), isa::SeqState::Error);
    return bench.fault();
}

struct Case {
    const char* name;
    int engine;
    Instruction instruction;
    Error code;
    std::uint32_t address = 0;
};

Instruction copy(std::uint32_t dst, std::uint32_t a, unsigned partitions, Dtype dtype = Dtype::Fp32,
                 unsigned count = 1) {
    return data_path(Vector)
        .set(field::DstAddr, dst)
        .set(field::AAddr, a)
        .set(field::Partitions, partitions)
        .set(field::DstDtype, dtype)
        .set(field::ADtype, dtype)
        .set(field::Count0, count)
        .set(field::Count1, 1)
        .set(field::Count2, 1)
        .set(field::Count3, 1);
}

Instruction with_opcode(Opcode opcode, Instruction instruction) {
    return instruction.set(field::Opcode, opcode);
}

Instruction matmul(std::uint32_t dst, unsigned partitions, unsigned columns) {
    return data_path(Tensor)
        .set(field::Opcode, static_cast<unsigned>(Opcode::MultiplyMoving))
        .set(field::DstAddr, dst)
        .set(field::DstDtype, Dtype::Fp32)
        .set(field::DstStep0, 1)
        .set(field::DstStep1, 16)
        .set(field::Partitions, partitions)
        .set(field::Columns, columns);
}

Instruction add(std::uint32_t dst, std::uint32_t a, std::uint32_t b) {
    return copy(dst, a, 128)
        .set(field::Opcode, static_cast<unsigned>(Opcode::TensorTensor))
        .set(field::BAddr, b)
        .set(field::BDtype, Dtype::Fp32)
        .set(field::BStep0, 1);
}

Instruction with_column(std::uint32_t imm0) {
    return copy(0, 0, 128)
        .set(field::Opcode, static_cast<unsigned>(Opcode::TensorScalar))
        .set(field::Imm0Vector, 1)
        .set(field::Imm0, imm0);
}

Instruction with_typed_column(Opcode opcode, std::uint32_t column, isa::ImmediateDtype dtype) {
    const bool bias = opcode == Opcode::Activation || opcode == Opcode::ActivationReduce;
    return with_opcode(opcode, copy(0, 0, 128))
        .set(bias ? field::BiasVector : field::Imm0Vector, 1)
        .set(bias ? field::Bias : field::Imm0, column)
        .set(bias ? field::BiasDtype : field::Imm0Dtype, dtype);
}

std::vector<Case> cases() {
    using enum isa::ImmediateDtype;
    constexpr auto Undefined = static_cast<isa::ImmediateDtype>(12),
                   Fp32sOwn = static_cast<isa::ImmediateDtype>(10);
    const auto stepped = [](std::uint32_t address, int step, unsigned count, Dtype dtype) {
        return copy(psum(0), address, 128, dtype, count)
            .set(field::DstStep0, 0)
            .set_signed(field::AStep0, step);
    };
    // clang-format off
    return {
        {"last word of SBUF", Vector, copy(sbuf(0, SbufBytes - 4), 0, 128), Error::None},
        {"past SBUF", Vector, copy(sbuf(0, SbufBytes), 0, 128), Error::AddressRange, sbuf(0, SbufBytes)},
        {"last word of PSUM", Vector, copy(psum(0, PsumBytes - 4), 0, 128), Error::None},
        {"across the end of PSUM", Vector, copy(psum(0, PsumBytes - 4), 0, 128, Dtype::Fp32, 2), Error::AddressRange, psum(0, PsumBytes - 4)},
        {"source past SBUF", Vector, copy(0, sbuf(0, SbufBytes), 128), Error::AddressRange, sbuf(0, SbufBytes)},
        {"events", Vector, copy(0x2700000, 0, 1), Error::AddressRange, 0x2700000},
        {"far outside", Vector, copy(0, 0xfffffffc, 1), Error::AddressRange, 0xfffffffc},
        {"byte pattern to the end", Vector, stepped(SbufBytes - 256, 1, 256, Dtype::U8), Error::None},
        {"byte pattern past the end", Vector, stepped(SbufBytes - 255, 1, 256, Dtype::U8), Error::AddressRange, SbufBytes - 255},
        {"descending to the start", Vector, stepped(10, -1, 6, Dtype::Bf16), Error::None},
        {"descending past the start", Vector, stepped(8, -1, 6, Dtype::Bf16), Error::AddressRange, 8},
        {"longest steps", Vector, stepped(0, 32767, 6, Dtype::U8), Error::None},
        {"longest steps past the end", Vector, stepped(0, 32767, 65535, Dtype::Fp32), Error::AddressRange, 0},
        {"longest steps down", Vector, stepped(SbufBytes - 4, -32768, 65535, Dtype::Fp32), Error::AddressRange, SbufBytes - 4},
        {"step beside a count of 1", Vector, copy(0, 0, 128).set_signed(field::AStep3, -32768), Error::None},
        {"second operand", Vector, add(0, 0, psum(0, PsumBytes)), Error::PartitionRange, psum(0, PsumBytes)},
        {"second operand at its end", Vector, add(0, 0, sbuf(0, SbufBytes - 4)), Error::None},
        {"second operand past its end", Vector, add(0, 0, sbuf(0, SbufBytes)), Error::AddressRange, sbuf(0, SbufBytes)},

        {"fp32 aligned to 2", Vector, copy(2, 0, 128), Error::AddressAlign, 2},
        {"fp32 aligned to 4", Vector, copy(4, 0, 128), Error::None},
        {"bf16 aligned to 1", Vector, copy(0, 3, 128, Dtype::Bf16), Error::AddressAlign, 3},
        {"bf16 aligned to 2", Vector, copy(2, 6, 128, Dtype::Bf16), Error::None},
        {"bytes anywhere", Vector, copy(1, 3, 128, Dtype::Fp8E5m2), Error::None},

        {"no partitions", Vector, copy(0, 0, 0), Error::PartitionRange},
        {"one partition", Vector, copy(0, 0, 1), Error::None},
        {"all partitions", Vector, copy(0, 0, Lanes), Error::None},
        {"too many partitions", Vector, copy(0, 0, Lanes + 1), Error::PartitionRange},
        {"past the last partition", Vector, copy(sbuf(96), 0, 33), Error::PartitionRange, sbuf(96)},
        {"last quarter", Vector, copy(sbuf(96), psum(96), 32), Error::None},
        {"partition after the last", Vector, copy(psum(128), 0, 1), Error::PartitionRange, psum(128)},
        {"65 from the half", Vector, copy(sbuf(64), 0, 64), Error::None},
        {"33 from a quarter", Vector, copy(sbuf(32), 0, 33), Error::PartitionStart, sbuf(32)},
        {"32 from a quarter", Vector, copy(sbuf(32), 0, 32), Error::None},
        {"33 from the half", Vector, copy(0, sbuf(64), 33), Error::None},
        {"1 from 16", Vector, copy(sbuf(16), 0, 1), Error::PartitionStart, sbuf(16)},
        {"1 from 31 in PSUM", Vector, copy(0, psum(31), 1), Error::PartitionStart, psum(31)},
        {"65 from a quarter", Vector, copy(0, psum(32), 65), Error::PartitionStart, psum(32)},

        {"result columns", Tensor, matmul(psum(64), 128, 64), Error::None},
        {"no result columns", Tensor, matmul(psum(0), 128, 0), Error::PartitionRange},
        {"too many result columns", Tensor, matmul(psum(0), 128, 129), Error::PartitionRange},
        {"result columns far beyond", Tensor, matmul(psum(0), 128, 256 + 64), Error::PartitionRange},
        {"result columns past the last partition", Tensor, matmul(psum(64), 128, 65), Error::PartitionRange, psum(64)},
        {"stationary rows", Tensor, data_path(Tensor).set(field::Partitions, 129), Error::PartitionRange},

        {"dtype 0", Vector, copy(0, 0, 128).set(field::DstDtype, 0), Error::Dtype},
        {"dtype 1", Vector, copy(0, 0, 128).set(field::ADtype, 1), Error::Dtype},
        {"dtype 12", Vector, add(0, 0, 0).set(field::BDtype, 12), Error::Dtype},
        {"stationary dtype", Tensor, data_path(Tensor).set(field::ADtype, 12), Error::Dtype},
        {"unused dtype", Vector, copy(0, 0, 128).set(field::BDtype, 12), Error::None},

        {"count0", Vector, copy(0, 0, 128, Dtype::Fp32, 0), Error::Shape},
        {"count1", Vector, copy(0, 0, 128).set(field::Count1, 0), Error::Shape},
        {"count2", Tensor, data_path(Tensor).set(field::Count2, 0), Error::Shape},
        {"count3", Vector, copy(0, 0, 128).set(field::Count3, 0), Error::Shape},

        {"column", Vector, with_column(SbufBytes - 4), Error::None},
        {"column past SBUF", Vector, with_column(SbufBytes), Error::AddressRange, SbufBytes},
        {"column not aligned to 4", Vector, with_column(8194), Error::AddressAlign, 8194},
        {"column past the last partition", Vector, with_column(sbuf(32)), Error::PartitionRange, sbuf(32)},
        {"column not aligned", Vector, with_column(6), Error::AddressAlign, 6},
        {"constant", Vector, with_column(6).set(field::Imm0Vector, 0), Error::None},
        {"second column", Vector, with_column(0).set(field::Imm1Vector, 1).set(field::Imm1, 5), Error::AddressAlign, 5},
        {"bias of bytes", Scalar, with_typed_column(Opcode::Activation, SbufBytes - 1, Fp8E4m3), Error::None},
        {"bias of bf16", Scalar, with_typed_column(Opcode::Activation, SbufBytes - 2, Bf16), Error::None},
        {"bias of bf16 not aligned", Scalar, with_typed_column(Opcode::Activation, 7, Bf16), Error::AddressAlign, 7},
        {"bias of i32 not aligned", Scalar, with_typed_column(Opcode::ActivationReduce, 6, I32), Error::AddressAlign, 6},
        {"bias past SBUF", Scalar, with_typed_column(Opcode::Activation, SbufBytes, U8), Error::AddressRange, SbufBytes},
        {"bias of no type", Scalar, with_typed_column(Opcode::Activation, 1, Undefined), Error::Dtype},
        {"fp32 has one code in place of an immediate", Scalar, with_typed_column(Opcode::ActivationReduce, 0, Fp32sOwn), Error::Dtype},
        {"constant bias has no type here", Scalar, with_typed_column(Opcode::Activation, 1, Undefined).set(field::BiasVector, 0), Error::None},
        {"scale beside a typed bias", Scalar, with_typed_column(Opcode::Activation, 1, U8).set(field::ScaleVector, 1).set(field::Scale, 2),
         Error::AddressAlign, 2},
        {"probability of fp16", Vector, with_typed_column(Opcode::Dropout, 6, Fp16), Error::None},
        {"probability of fp16 not aligned", Vector, with_typed_column(Opcode::Dropout, 5, Fp16), Error::AddressAlign, 5},
        {"probability of no type", Vector, with_typed_column(Opcode::Dropout, 0, Undefined), Error::Dtype},
        {"accumulate flag is no column", Tensor, matmul(psum(0), 128, 128).set(field::Accumulate, 1), Error::None},

        {"memset has no source", Vector,
         copy(0, 0xffffffff, 128).set(field::Opcode, static_cast<unsigned>(Opcode::Memset)).set(field::ADtype, 0), Error::None},
        {"reduced axes take no room", Vector,
         copy(SbufBytes - 4, 0, 128, Dtype::Fp32, 64).set(field::Opcode, static_cast<unsigned>(Opcode::TensorReduce)).set(field::ReduceAxes, 1),
         Error::None},
        {"the other axes do", Vector,
         copy(SbufBytes - 4, 0, 128, Dtype::Fp32, 64).set(field::Opcode, static_cast<unsigned>(Opcode::TensorReduce)).set(field::ReduceAxes, 0),
         Error::AddressRange, SbufBytes - 4},

        {"bn_stats has six results", Vector, with_opcode(Opcode::BnStats, copy(SbufBytes - 24, 0, 128, Dtype::Fp32, 64)), Error::None},
        {"and no room for five", Vector, with_opcode(Opcode::BnStats, copy(SbufBytes - 20, 0, 128, Dtype::Fp32, 64)),
         Error::AddressRange, SbufBytes - 20},
        {"results step by step0 only", Vector,
         with_opcode(Opcode::BnAggr, copy(SbufBytes - 8, 0, 128, Dtype::Fp32, 3)).set(field::Count1, 4).set(field::DstStep1, 100)
             .set(field::DstStep2, 100).set(field::DstStep3, 100),
         Error::None},
        {"find_index8 has eight values b", Vector,
         with_opcode(Opcode::FindIndex8, add(psum(0), 0, SbufBytes - 32)).set(field::Count0, 64), Error::None},
        {"and no room for seven", Vector,
         with_opcode(Opcode::FindIndex8, add(psum(0), 0, SbufBytes - 28)).set(field::Count0, 64), Error::AddressRange, SbufBytes - 28},
        {"values b step by step0 only", Vector,
         with_opcode(Opcode::FindIndex8, add(psum(0), 0, SbufBytes - 32)).set(field::Count0, 64).set(field::BStep1, 100)
             .set(field::BStep2, 100).set(field::BStep3, 100),
         Error::None},
        {"b in the way of an immediate", Vector, with_opcode(Opcode::TensorCopyPredicated, add(0, 0, 0xfffffff0)),
         Error::AddressRange, 0xfffffff0},
        {"an immediate in place of b", Vector,
         with_opcode(Opcode::TensorCopyPredicated, add(0, 0, 0xfffffff0)).set(field::BImmediate, 1), Error::None},
        {"a block turns", Vector, with_opcode(Opcode::TransposeBlock, copy(SbufBytes - 16, 0, 4, Dtype::Fp32, 8)), Error::None},
        {"and steps by step0 only", Vector,
         with_opcode(Opcode::TransposeBlock, copy(SbufBytes - 16, 0, 4, Dtype::Fp32, 8)).set(field::DstStep1, 100)
             .set(field::DstStep2, 100).set(field::DstStep3, 100),
         Error::None},
        {"to as many elements as it had partitions", Vector,
         with_opcode(Opcode::TransposeBlock, copy(SbufBytes - 16, 0, 5, Dtype::Fp32, 8)), Error::AddressRange, SbufBytes - 16},
        {"a block with as many partitions as blocks have", Vector,
         with_opcode(Opcode::TransposeBlock, copy(SbufBytes - 128, 0, 32, Dtype::Fp32, 8)), Error::None},
        {"and no room for 32 elements", Vector,
         with_opcode(Opcode::TransposeBlock, copy(SbufBytes - 124, 0, 32, Dtype::Fp32, 8)), Error::AddressRange, SbufBytes - 124},
        {"a block with as many elements as blocks have", Vector,
         with_opcode(Opcode::TransposeBlock, copy(SbufBytes - 16, 0, 4, Dtype::Fp32, 32)), Error::None},
        {"more elements than a block has, of which 4 lie above 2^17", Vector,
         with_opcode(Opcode::TransposeBlock, copy(SbufBytes - 16, 0, 4, Dtype::Fp32, 33)).set(field::Count1, 3972),
         Error::AddressRange, SbufBytes - 16},
        {"many blocks keep their shape", Vector,
         with_opcode(Opcode::TransposeBlock, copy(SbufBytes - 128, 0, 32, Dtype::Fp32, 32)), Error::None},
        {"and their room", Vector,
         with_opcode(Opcode::TransposeBlock, copy(SbufBytes - 124, 0, 32, Dtype::Fp32, 32)), Error::AddressRange, SbufBytes - 124},
        {"a register aligned to 2", Vector, write_register(isa::window::EventBase + 2, 0), Error::AddressAlign},
        {"a doorbell aligned to 2", Vector, ring_doorbells(isa::window::EventBase + 2, 1, 4, 0, 0), Error::AddressAlign},
        {"doorbells 6 apart", Vector, ring_doorbells(isa::window::EventBase, 1, 6, 0, 0), Error::AddressAlign},
        {"memset has no second column", Vector,
         with_opcode(Opcode::Memset, copy(0, 0, 128)).set(field::Imm1Vector, 1).set(field::Imm1, 5), Error::None},
    };
    // clang-format on
}

TEST(ControlCheck, EveryLimitFromBothSides) {
    ControlBench bench({});
    for (const Case& test : cases()) {
        SCOPED_TRACE(test.name);
        const Fault expected = test.code == Error::None
                                   ? Fault{Error::None, 0, 0, 0, 0}
                                   : Fault{test.code, unsigned(test.engine), 1, test.address,
                                           unsigned(test.instruction.opcode())};
        const Fault found = verdict_of(bench, test.engine, test.instruction);
        EXPECT_EQ(found.code, expected.code) << name_of(found.code);
        EXPECT_EQ(found, expected) << "address " << std::hex << found.address << " pc " << found.pc;
    }
}

// Columns must start where operands do; the second column is checked like the first.
TEST(ControlCheck, StartsOfColumns) {
    struct Start {
        unsigned partitions, first;
        Error error;
    };
    ControlBench bench({});
    for (const Start& c : {Start{32, 96, Error::None},
                           {32, 16, Error::PartitionStart},
                           {1, 127, Error::PartitionStart},
                           {33, 32, Error::PartitionStart},
                           {33, 64, Error::None},
                           {64, 64, Error::None},
                           {65, 64, Error::PartitionRange},
                           {65, 32, Error::PartitionStart},
                           {65, 0, Error::None}}) {
        SCOPED_TRACE(::testing::Message() << c.partitions << " from " << c.first);
        Instruction instruction = with_column(sbuf(c.first, 64)).set(field::Partitions, c.partitions);
        EXPECT_EQ(verdict_of(bench, Vector, instruction).code, c.error);
        instruction.set(field::Imm0, 64).set(field::Imm1Vector, 1).set(field::Imm1, sbuf(c.first, 64));
        EXPECT_EQ(verdict_of(bench, Vector, instruction).code, c.error);
    }
}

// Every code of a type at every byte of a word, for the bias of an activation and the probability of dropout.
TEST(ControlCheck, TypesOfColumns) {
    ControlBench bench({});
    for (unsigned code = 0; code < 16; ++code) {
        const bool known = code == 0 || (code >= 2 && code != 10 && code != 12);
        const unsigned bytes = code == 2 || code == 3 || code >= 13 ? 1 : code >= 4 && code <= 7 ? 2 : 4;
        for (unsigned byte = 0; byte < 4; ++byte) {
            SCOPED_TRACE(::testing::Message() << "code " << code << " byte " << byte);
            const Error expected = !known              ? Error::Dtype
                                   : byte % bytes != 0 ? Error::AddressAlign
                                                       : Error::None;
            const auto dtype = static_cast<isa::ImmediateDtype>(code);
            EXPECT_EQ(verdict_of(bench, Scalar, with_typed_column(Opcode::Activation, byte, dtype)).code,
                      expected);
            EXPECT_EQ(verdict_of(bench, Vector, with_typed_column(Opcode::Dropout, byte, dtype)).code,
                      expected);
        }
    }
}

TEST(ControlCheck, OpcodesBelongToEngines) {
    ControlBench bench({});
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
        const isa::InstructionInfo* info = isa::find_instruction(static_cast<Opcode>(opcode));
        for (int engine = 0; engine < Engines; ++engine) {
            // A later check of an operand would fail, so only the opcode's own verdict can be an illegal
            // instruction.
            const Instruction instruction = Instruction().set(field::Opcode, opcode).set(field::Imm0, 0);
            const bool control = opcode >= 1 && opcode <= 9;
            const bool known = info != nullptr && (info->engines >> engine & 1) != 0;
            SCOPED_TRACE(::testing::Message() << "opcode " << opcode << " engine " << engine);
            if (control) continue;
            const bool has_operands = info != nullptr && (info->uses_dst || info->uses_a);
            const Error expected = !known         ? Error::IllegalInstruction
                                   : has_operands ? Error::Dtype
                                                  : Error::None;
            EXPECT_EQ(verdict_of(bench, engine, instruction).code, expected);
        }
    }
}

// Returns the first error of one operand, found element by element.
Error transcription(std::uint32_t address, const std::array<int, 4>& step,
                    const std::array<unsigned, 4>& count, unsigned size, unsigned partitions) {
    const bool in_psum = address >= 0x2000000;
    const unsigned start = in_psum ? (address - 0x2000000) / 16384 : address / 262144;
    const long offset = in_psum ? address % 16384 : address % 262144;
    const long bytes = in_psum ? PsumBytes : SbufBytes;
    if (start + partitions > Lanes) return Error::PartitionRange;
    const bool start_fits = partitions > 64   ? start == 0
                            : partitions > 32 ? start == 0 || start == 64
                                              : start % 32 == 0;
    if (!start_fits) return Error::PartitionStart;
    if (address % size != 0) return Error::AddressAlign;
    for (unsigned i3 = 0; i3 < count[3]; ++i3) {
        for (unsigned i2 = 0; i2 < count[2]; ++i2) {
            for (unsigned i1 = 0; i1 < count[1]; ++i1) {
                for (unsigned i0 = 0; i0 < count[0]; ++i0) {
                    const long element =
                        long(i0) * step[0] + long(i1) * step[1] + long(i2) * step[2] + long(i3) * step[3];
                    const long first = offset + element * long(size);
                    if (first < 0 || first + long(size) > bytes) return Error::AddressRange;
                }
            }
        }
    }
    return Error::None;
}

TEST(ControlCheck, RandomPatterns) {
    std::mt19937_64 random = generator();
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    ControlBench bench({.seed = seed()});
    std::map<Error, unsigned> seen;
    for (std::uint64_t i = 0; i < 6000 * scale(); ++i) {
        const bool in_psum = pick(2);
        const unsigned size = 1u << pick(3), partitions = 1 + pick(pick(2) ? 32 : 128);
        const unsigned start = pick(8) == 0 ? pick(128) : pick(4) * 32;
        const unsigned bytes = in_psum ? PsumBytes : SbufBytes;
        unsigned offset = pick(4) == 0 ? pick(bytes) : pick(bytes) / 4 * 4;
        const std::array<unsigned, 4> count{1 + pick(6), 1 + pick(5), 1 + pick(4), 1 + pick(3)};
        std::array<int, 4> step;
        long low = 0, high = 0;
        for (int d = 0; d < 4; ++d) {
            step[d] = int(pick(in_psum ? 600 : 8000)) - int(in_psum ? 200 : 2500);
            const long reach = long(step[d]) * (count[d] - 1);
            (reach < 0 ? low : high) += reach;
        }
        // Half of the patterns reach an end of the partition, or miss it by one element.
        const long edge = pick(2) ? -low * long(size) : long(bytes) - (high + 1) * long(size);
        const long shifted = edge + (int(pick(3)) - 1) * long(size);
        if (pick(2) && shifted >= 0 && shifted < bytes) offset = static_cast<unsigned>(shifted);

        const std::uint32_t address = in_psum ? psum(start, offset) : sbuf(start, offset);
        const Dtype dtype = size == 1 ? Dtype::Fp8E4m3 : size == 2 ? Dtype::Fp16 : Dtype::Tf32;
        const std::uint32_t other = in_psum ? sbuf(0) : psum(0);
        Instruction instruction = copy(other, other, partitions, dtype);
        instruction.set(field::DstStep0, 0).set(field::DstStep1, 0).set(field::AStep1, 0);
        instruction.set(field::Count0, count[0])
            .set(field::Count1, count[1])
            .set(field::Count2, count[2])
            .set(field::Count3, count[3]);
        if (pick(2)) {
            instruction.set(field::AAddr, address)
                .set_signed(field::AStep0, step[0])
                .set_signed(field::AStep1, step[1])
                .set_signed(field::AStep2, step[2])
                .set_signed(field::AStep3, step[3]);
        } else {
            instruction.set(field::AStep0, 0)
                .set(field::DstAddr, address)
                .set_signed(field::DstStep0, step[0])
                .set_signed(field::DstStep1, step[1])
                .set_signed(field::DstStep2, step[2])
                .set_signed(field::DstStep3, step[3]);
        }
        const Error expected = transcription(address, step, count, size, partitions);
        const Fault found = verdict_of(bench, Vector, instruction);
        ASSERT_EQ(found.code, expected) << "case " << i << ": expected " << name_of(expected) << ", found "
                                        << name_of(found.code) << ", address " << std::hex << address;
        if (expected != Error::None) {
            ASSERT_EQ(found, (Fault{expected, Vector, 1, address, unsigned(Opcode::TensorCopy)}));
        }
        ++seen[expected];
    }
    for (const Error code : {Error::None, Error::PartitionRange, Error::PartitionStart, Error::AddressAlign,
                             Error::AddressRange}) {
        EXPECT_GT(seen[code], 100u) << name_of(code);
    }
}

}  // namespace
}  // namespace trnsim::test
