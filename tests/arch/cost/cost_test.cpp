// Compares the library with points of docs/timing.md, and tests what it refuses.
#include "arch/cost/cost.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "arch/cost/clock.hpp"
#include "arch/cost/tensor.hpp"

namespace trnsim::test {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

const cost::Costs& trn1() {
    static const cost::Costs costs(config::load("trn1"));
    return costs;
}

Instruction shaped(Opcode opcode, unsigned elements, isa::Dtype dtype) {
    Instruction instruction(opcode);
    instruction.set(field::Partitions, 128)
        .set(field::Count0, elements)
        .set(field::Count1, 1)
        .set(field::Count2, 1)
        .set(field::Count3, 1);
    if (instruction.info()->uses_a) instruction.set(field::ADtype, dtype).set(field::AStep0, 1);
    if (instruction.info()->uses_b)
        instruction.set(field::BDtype, dtype).set(field::BAddr, 65536).set(field::BStep0, 1);
    if (instruction.info()->uses_dst)
        instruction.set(field::DstDtype, dtype).set(field::DstAddr, 131072).set(field::DstStep0, 1);
    return instruction;
}

TEST(Costs, APassTakesAtLeastAsLongAsTheStationaryOperandIsWideUpTo64) {
    EXPECT_EQ(cost::pass_cycles(128, 512), 512u);
    EXPECT_EQ(cost::pass_cycles(128, 1), 64u);
    EXPECT_EQ(cost::pass_cycles(16, 1), 16u);
    EXPECT_EQ(cost::pass_cycles(16, 40), 40u);
}

// The measured points of docs/timing.md.
TEST(Costs, Matmul) {
    const Instruction matmul = shaped(Opcode::MultiplyMoving, 128, isa::Dtype::Bf16).set(field::Columns, 128);
    EXPECT_EQ(trn1().of(Engine::Tensor, matmul).completes, 599u);
    EXPECT_EQ(trn1().of(Engine::Tensor, matmul).occupies, 147u);
    const Instruction fp32 = shaped(Opcode::MultiplyMoving, 128, isa::Dtype::Fp32).set(field::Columns, 128);
    EXPECT_EQ(trn1().of(Engine::Tensor, fp32, {.stationary_parts = 2}).occupies, 588u);
    EXPECT_EQ(trn1().of(Engine::Tensor, fp32).occupies, 294u);
    const Instruction load = shaped(Opcode::LoadStationary, 128, isa::Dtype::Bf16);
    EXPECT_EQ(trn1().of(Engine::Tensor, load).occupies, 32u);
}

TEST(Costs, Elementwise) {
    const Instruction add =
        shaped(Opcode::TensorTensor, 8192, isa::Dtype::Fp32).set(field::Op0, isa::AluOp::Add);
    EXPECT_EQ(trn1().in_own_clock(Engine::Vector, add).completes, 16450u);
    EXPECT_EQ(trn1().in_own_clock(Engine::Vector, add).occupies, 16384u);
    const Instruction copy = shaped(Opcode::TensorCopy, 1, isa::Dtype::Fp32);
    EXPECT_EQ(trn1().in_own_clock(Engine::Scalar, copy).completes, 235u);
    EXPECT_EQ(trn1().in_own_clock(Engine::Scalar, copy).occupies, 64u);
    EXPECT_EQ(trn1().of(Engine::Scalar, copy).occupies, 128u);
    EXPECT_EQ(trn1().dependent(Engine::Scalar), 400u);
    EXPECT_EQ(trn1().dependent(Engine::Tensor), 0u);
}

// The measured points are 1300 ns, 32 KiB in 2 KiB descriptors, 4-byte descriptors, and all engines.
TEST(Costs, Transfers) {
    constexpr std::uint64_t Ns = 1'000'000;
    const auto time = [](unsigned engines, std::uint64_t bytes, std::uint64_t descriptors) {
        return trn1().of(cost::Transfer{engines, {bytes, descriptors}, {bytes, descriptors}});
    };
    EXPECT_NEAR(static_cast<double>(time(1, 32768, 16).completes) / Ns, 1300 + 1883, 40);
    EXPECT_EQ(time(1, 4000, 1000).occupies, 7000 * Ns);
    EXPECT_NEAR(16.0 * (1 << 20) / static_cast<double>(time(16, 16 << 20, 4096).occupies) * Ns, 289.4, 2);
}

TEST(Costs, AnOpcodeOfAnotherEngine) {
    EXPECT_THROW(trn1().of(Engine::Scalar, Instruction(Opcode::MultiplyMoving)), std::invalid_argument);
    EXPECT_THROW(trn1().of(Engine::Vector, Instruction(static_cast<Opcode>(0xff))), std::invalid_argument);
}

// Compares the clock with a divider that is counted step by step.
TEST(Clock, EdgesAreThoseOfADivider) {
    for (const config::Ratio ratio : {config::Ratio{1, 1}, {2, 5}, {1, 2}, {3, 7}, {5, 8}}) {
        const cost::Clock clock(ratio);
        std::uint64_t phase = 0, last = 0;
        for (std::uint64_t cycle = 1; cycle < 200; ++cycle) {
            EXPECT_EQ(clock.before(cycle), last);
            phase += ratio.numerator;
            if (phase < ratio.denominator) continue;
            phase -= ratio.denominator;
            EXPECT_EQ(clock.after(cycle - 1), cycle);
            EXPECT_EQ(clock.after(last), cycle);
            last = cycle;
        }
    }
}

}  // namespace
}  // namespace trnsim::test
