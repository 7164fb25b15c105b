// Numeric errors: a NaN that an engine writes is remembered with the first instruction that wrote one, and
// nothing else is.
#include <cmath>
#include <limits>

#include "tests/rtl/core/core_instructions.hpp"

namespace trnsim::test {
namespace {

using isa::Dtype;
using isa::Opcode;
namespace csr = isa::csr;
namespace field = isa::field;

constexpr int Tensor = static_cast<int>(isa::Engine::Tensor), Vector = static_cast<int>(isa::Engine::Vector),
              Scalar = static_cast<int>(isa::Engine::Scalar);
constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr std::uint32_t Nan = 0x7fc00000, Elements = 8;

void poke(CoreProgram& on, std::uint32_t address, std::uint32_t word) {
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &word, bytes.size());
    on.core.poke(address, bytes);
}
void poke(CoreProgram& on, std::uint32_t address, float value) {
    std::uint32_t word = 0;
    std::memcpy(&word, &value, sizeof(word));
    poke(on, address, word);
}

// Fills the partitions of an operand with numbers of all magnitudes up to that of fp8, and with infinities if
// `infinite`.
void fill(CoreProgram& on, std::uint32_t offset, std::uint32_t words, bool infinite = false) {
    for (std::uint32_t p = 0; p < OperandSize; ++p) {
        for (std::uint32_t w = 0; w < words; ++w) {
            float value = std::ldexp(static_cast<float>(on.bits() % 1000) - 500.0f, -(on.bits() % 40) - 3);
            if (infinite && on.bits() % 8 == 0) value = on.bits() % 2 != 0 ? Infinity : -Infinity;
            poke(on, sbuf(p, offset + 4 * w), value);
        }
    }
}

void expect_none(CoreProgram& on, const char* what) {
    EXPECT_EQ(on.core.read32(on.port(), csr::NumericError), 0u) << what;
    EXPECT_EQ(on.core.numeric().engines, 0u) << what;
    EXPECT_EQ(on.core.read32(on.port(), csr::NumericPc), 0u) << what;
}

void expect_error(CoreProgram& on, std::uint32_t engines, int first, std::uint32_t pc, Opcode opcode) {
    EXPECT_EQ(on.core.read32(on.port(), csr::NumericError), engines);
    EXPECT_EQ(on.core.read32(on.port(), csr::NumericEngine), static_cast<std::uint32_t>(first));
    EXPECT_EQ(on.core.read32(on.port(), csr::NumericPc), pc);
    EXPECT_EQ(on.core.read32(on.port(), csr::NumericOpcode), static_cast<std::uint32_t>(opcode));
    const tlm::NumericError read = on.core.numeric();
    EXPECT_EQ(read.engines, engines);
    EXPECT_EQ(read.engine, first);
    EXPECT_EQ(read.pc, pc);
    EXPECT_EQ(read.opcode, static_cast<std::uint8_t>(opcode));
    EXPECT_FALSE(on.core.error()) << "it stops nothing";
}

// The NaN may be any element of any of many instructions under way at a time.
TEST(CoreNumeric, NamesTheFirstInstructionOfVectorAndScalar) {
    for (std::uint64_t round = 0; round < 10 * scale(); ++round) {
        for (const int engine : {Vector, Scalar}) {
            CoreProgram on;
            constexpr std::uint32_t Copies = 12;
            fill(on, 0, Copies * Elements);
            const std::uint32_t wrong = on.bits() % Copies;
            poke(on, sbuf(on.bits() % OperandSize, 4 * (wrong * Elements + on.bits() % Elements)),
                 Nan | on.bits() % 2 << 31);
            if (wrong + 2 < Copies) poke(on, sbuf(1, 4 * (wrong + 2) * Elements), Nan);
            Program program;
            std::uint32_t pc = 0;
            for (std::uint32_t i = 0; i < Copies; ++i) {
                for (std::uint32_t nops = on.bits() % 3; nops > 0; --nops) program.push_back(nop());
                if (i == wrong) pc = static_cast<std::uint32_t>(program.size());
                const std::uint32_t to = 4 * i * Elements;
                program.push_back(
                    copy(sbuf(0, to), on.bits() % 2 != 0 ? sbuf(0, 4096 + to) : psum(0, to), Elements));
            }
            program.push_back(halt());
            run(on, engine, program);
            expect_error(on, 1u << engine, engine, pc, Opcode::TensorCopy);
        }
    }
}

TEST(CoreNumeric, EveryFloatingPointTypeHasNans) {
    for (const int engine : {Vector, Scalar}) {
        for (const Dtype type : {Dtype::Fp32, Dtype::Tf32, Dtype::Bf16, Dtype::Fp16, Dtype::Fp8E3m4,
                                 Dtype::Fp8E4m3, Dtype::Fp8E5m2}) {
            CoreProgram on;
            fill(on, 0, Elements, type != Dtype::Fp8E4m3);
            const Program program{nop(), copy(sbuf(0, 0), sbuf(0, 4096), Elements, type), halt()};
            run(on, engine, program);
            expect_none(on, "numbers and infinities");
            poke(on, sbuf(on.bits() % OperandSize, 4 * (on.bits() % Elements)), Nan);
            run(on, engine, program);
            expect_error(on, 1u << engine, engine, 1, Opcode::TensorCopy);
        }
    }
}

// Beyond its largest number fp8_e4m3 has a NaN.
TEST(CoreNumeric, AnOverflowToNanCounts) {
    CoreProgram on;
    fill(on, 0, Elements);
    poke(on, sbuf(3, 12), 1e6f);
    run(on, Vector, {copy(sbuf(0, 0), sbuf(0, 4096), Elements, Dtype::Fp8E5m2), halt()});
    expect_none(on, "an infinity");
    run(on, Vector, {copy(sbuf(0, 0), sbuf(0, 4096), Elements, Dtype::Fp8E4m3), halt()});
    expect_error(on, 1u << Vector, Vector, 0, Opcode::TensorCopy);
}

TEST(CoreNumeric, WhatIsNotWrittenDoesNotCount) {
    for (const int engine : {Vector, Scalar}) {
        CoreProgram on;
        fill(on, 0, Elements);
        for (std::uint32_t p = OperandSize; p < on.core.config.core.partitions; ++p)
            for (std::uint32_t w = 0; w < Elements; ++w) poke(on, sbuf(p, 4 * w), Nan);
        poke(on, sbuf(2, 4 * Elements), Nan);
        run(on, engine, {copy(sbuf(0, 0), sbuf(0, 4096), Elements), halt()});
        expect_none(on, "other partitions, the next element");
        // The other halves of the written words hold NaNs.
        for (std::uint32_t p = 0; p < OperandSize; ++p) poke(on, sbuf(p, 4096), 0x7fff7fffu);
        run(on, engine, {copy(sbuf(0, 0), sbuf(0, 4098), 1, Dtype::Bf16), halt()});
        expect_none(on, "the other half of the word");
        poke(on, sbuf(2, 4), Nan);
        run(on, engine, {copy(sbuf(0, 0), sbuf(0, 4096), Elements, Dtype::I32), halt()});
        expect_none(on, "an integer");
        for (std::uint32_t w = 0; w < Elements; ++w) poke(on, sbuf(2, 4 * w), Nan);
        run(on, engine,
            {copy(sbuf(0, 0), sbuf(0, 4096), Elements, Dtype::I32).set(field::ADtype, Dtype::I32), halt()});
        expect_none(on, "bits that are a NaN in another type");
    }
}

// A NaN in a sum in PSUM counts, in the columns that are written.
TEST(CoreNumeric, Matmuls) {
    const auto moving = [](CoreProgram& on, std::uint32_t partition, std::uint32_t element,
                           std::uint32_t bits) {
        poke(on, sbuf(partition, 4 * (element / 2)), bits << (16 * (element % 2)));
    };
    for (std::uint64_t round = 0; round < 10 * scale(); ++round) {
        CoreProgram on;
        for (std::uint32_t p = 0; p < OperandSize; ++p)
            for (std::uint32_t w = 0; w < 64; ++w) poke(on, sbuf(p, 4 * w), 0x3f803f80u);  // ones
        const Program good{load(128), matmul(0, false),  matmul(0, true),
                           load(128), matmul(32, false), halt()};
        run(on, Tensor, good);
        expect_none(on, "numbers");
        // An infinity is not an error until another one is subtracted from it.
        moving(on, 1, 3, 0x7f80);
        run(on, Tensor, {load(128), matmul(0, false), halt()});
        expect_none(on, "an infinity");
        moving(on, 1, 3, 0xff80);
        const auto before = static_cast<std::uint32_t>(on.bits() % 4);
        Program program(before, nop());
        program.insert(program.end(),
                       {load(128), matmul(64, false), matmul(0, true), matmul(0, true), halt()});
        run(on, Tensor, program);
        expect_error(on, 1u << Tensor, Tensor, before + 2, Opcode::MultiplyMoving);
    }
}

TEST(CoreNumeric, TheFirstStaysAndEnginesAdd) {
    CoreProgram on;
    fill(on, 0, Elements);
    poke(on, sbuf(0, 0), Nan);
    run(on, Scalar, {nop(), nop(), copy(sbuf(0, 0), sbuf(0, 4096), 1), halt()});
    expect_error(on, 1u << Scalar, Scalar, 2, Opcode::TensorCopy);
    run(on, Vector, {copy(sbuf(0, 0), sbuf(0, 4096), 1), halt()});
    expect_error(on, 1u << Scalar | 1u << Vector, Scalar, 2, Opcode::TensorCopy);
    run(on, Vector, {copy(sbuf(0, 4), sbuf(0, 4096), 1), halt()});
    expect_error(on, 1u << Scalar | 1u << Vector, Scalar, 2, Opcode::TensorCopy);
    for (const std::uint32_t reg :
         {csr::NumericError, csr::NumericEngine, csr::NumericPc, csr::NumericOpcode})
        EXPECT_EQ(on.core.write32(on.port(), reg, 0), SlvErr);
    expect_error(on, 1u << Scalar | 1u << Vector, Scalar, 2, Opcode::TensorCopy);
}

}  // namespace
}  // namespace trnsim::test
