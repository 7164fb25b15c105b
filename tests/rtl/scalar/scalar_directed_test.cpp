// Refusals, accumulator registers, table sets, seeds.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "common/random.hpp"
#include "testbench/random_programs/scalar_instructions.hpp"
#include "tests/rtl/scalar/scalar_bench.hpp"
#include "tests/rtl/scalar/scalar_model.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;
using isa::Activation;
using isa::ActivationSet;
using isa::AluOp;
using isa::Dtype;
using isa::Error;
using isa::Instruction;
using isa::Opcode;
using isa::ReduceCmd;

std::uint32_t bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

Tensors columns(unsigned n, unsigned partitions = Lanes) {
    Tensors t;
    t.partitions = partitions;
    t.count[0] = n;
    t.dst.offset = 64 * 1024;
    return t;
}

Instruction sum(ReduceCmd command, unsigned n, unsigned partitions = Lanes) {
    Activate how;
    how.reduce = command;
    return activate(columns(n, partitions), how);
}

class ScalarDirected : public testing::Test {
  protected:
    ScalarDirected() {
        for (std::uint32_t row = 0; row < 512; ++row) {
            for (unsigned lane = 0; lane < Lanes; ++lane)
                bench_.memories.sbuf[row][lane] =
                    bits(static_cast<float>(row + 1) + 0.25f * static_cast<float>(lane));
        }
        model_.memories = bench_.memories;
    }
    void run(const std::vector<Instruction>& program) {
        for (const Instruction& i : program) model_.execute(i);
        bench_.run(program, {}, random_);
        const auto difference = first_difference(bench_.memories, model_.memories);
        EXPECT_FALSE(difference) << *difference;
    }
    float accumulator(unsigned lane) {
        run({act_read_accumulator(columns(1))});
        return std::bit_cast<float>(bench_.memories.load(false, lane, 64 * 1024, 4));
    }

    std::mt19937_64 random_ = generator();
    ScalarBench bench_;
    ScalarModel model_;
};

TEST_F(ScalarDirected, Rejects) {
    struct Case {
        const char* what;
        std::function<void(Instruction&)> change;
        Error expected;
    };
    const auto rejects = [&](const Instruction& from, std::initializer_list<Case> cases) {
        for (const Case& c : cases) {
            Instruction i = from;
            c.change(i);
            EXPECT_EQ(bench_.reject(i), c.expected) << c.what;
        }
    };
    const auto nothing = [](Instruction&) {};
    rejects(
        activate(columns(4), {}),
        {
            {"copy without tables", nothing, Error::None},
            {"function without its table", [](Instruction& i) { i.set(field::ActFunction, Activation::Exp); },
             Error::ActivationTable},
            {"no function", [](Instruction& i) { i.set(field::ActFunction, 26u); },
             Error::UnsupportedOperand},
            {"no function", [](Instruction& i) { i.set(field::ActFunction, 63u); },
             Error::UnsupportedOperand},
            {"longest", [](Instruction& i) { i.set(field::Count0, 65535u); }, Error::None},
            {"rounding", [](Instruction& i) { i.set(field::Rounding, 3u); }, Error::UnsupportedOperand},
            {"scale in PSUM",
             [](Instruction& i) { i.set(field::ScaleVector, 1u).set(field::Scale, PsumBase); },
             Error::UnsupportedOperand},
            {"bias in PSUM",
             [](Instruction& i) { i.set(field::BiasVector, 1u).set(field::Bias, PsumBase + 64); },
             Error::UnsupportedOperand},
            {"constant that looks like an address", [](Instruction& i) { i.set(field::Bias, 2u); },
             Error::None},
            {"opcode of another engine", [](Instruction& i) { i.set(field::Opcode, Opcode::TensorTensor); },
             Error::IllegalInstruction},
        });
    Activate reduce;
    reduce.with_reduce = true;
    reduce.reduce = ReduceCmd::Reduce;
    rejects(activate(columns(4), reduce),
            {
                {"reduces", nothing, Error::None},
                {"idle", [](Instruction& i) { i.set(field::ReduceCmd, ReduceCmd::Idle); },
                 Error::UnsupportedOperand},
            });
    rejects(act_read_accumulator(columns(1)),
            {
                {"reads", nothing, Error::None},
                {"two elements", [](Instruction& i) { i.set(field::Count0, 2u); }, Error::Shape},
            });
    rejects(act_table_load(ActivationSet::GeluAndOthers)
                .set(field::TableAddress, 0x200u)
                .set(field::TableBeats, 1u),
            {
                {"loads", nothing, Error::None},
                {"no beats", [](Instruction& i) { i.set(field::TableBeats, 0u); }, Error::ActivationTable},
                {"address within a beat", [](Instruction& i) { i.set(field::TableAddress, 0x300u); },
                 Error::AddressAlign},
                {"no set", [](Instruction& i) { i.set(field::TableSet, ActivationSet::None); },
                 Error::ActivationTable},
                {"unknown set", [](Instruction& i) { i.set(field::TableSet, 7u); }, Error::ActivationTable},
            });
    rejects(scalar_operations(columns(4), {AluOp::Multiply}, {}, {AluOp::Add}, {}),
            {
                {"multiply and add", nothing, Error::None},
                {"subtract", [](Instruction& i) { i.set(field::Op0, AluOp::Subtract); },
                 Error::UnsupportedOperand},
                {"max", [](Instruction& i) { i.set(field::Op1, AluOp::Max); }, Error::UnsupportedOperand},
                {"reduction", [](Instruction& i) { i.set(field::ReduceCmd, ReduceCmd::Reduce); },
                 Error::UnsupportedOperand},
                {"negation", [](Instruction& i) { i.set(field::Negate, 1u); }, Error::UnsupportedOperand},
            });
    rejects(scalar_copy(columns(4)), {
                                         {"copies", nothing, Error::None},
                                         {"operation", [](Instruction& i) { i.set(field::Op0, AluOp::Add); },
                                          Error::UnsupportedOperand},
                                     });
}

TEST_F(ScalarDirected, RejectsTypesOfOperands) {
    const Instruction good = activate(columns(4), {});
    for (const unsigned code : {0u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 11u, 13u, 14u, 15u}) {
        SCOPED_TRACE(code);
        Instruction i = good;
        i.set(field::BiasDtype, code);
        EXPECT_EQ(bench_.reject(i), code == 0 ? Error::None : Error::Dtype) << "constant";
        i.set(field::BiasVector, 1u).set(field::Bias, 0x400u);
        EXPECT_EQ(bench_.reject(i), code != 11 ? Error::None : Error::Dtype);
        const Operation multiply{AluOp::Multiply};
        Instruction other = scalar_operations(columns(4), multiply, {0x400u, true}, multiply, {0x400u, true});
        EXPECT_EQ(bench_.reject(other.set(field::Imm0Dtype, code)), code == 0 ? Error::None : Error::Dtype);
        other = scalar_copy(columns(4));
        EXPECT_EQ(bench_.reject(other.set(field::Imm0Dtype, code)), code == 0 ? Error::None : Error::Dtype);
    }
}

TEST_F(ScalarDirected, ASetServesItsFunctionsUntilTheNext) {
    Activate how;
    how.function = Activation::Exp;
    const Instruction exp = activate(columns(4), how);
    how.function = Activation::Sqrt;
    const Instruction root = activate(columns(4), how);
    run({act_table_load(ActivationSet::NaturalLogExpAndOthers), exp});
    EXPECT_EQ(bench_.reject(exp), Error::None);
    EXPECT_EQ(bench_.reject(root), Error::ActivationTable);
    run({act_table_load(ActivationSet::ReciprocalSqrtAndSmall), root});
    EXPECT_EQ(bench_.reject(exp), Error::ActivationTable);
    EXPECT_EQ(bench_.reject(root), Error::None);
}

TEST_F(ScalarDirected, AccumulatorsAddUpOverInstructions) {
    EXPECT_EQ(accumulator(3), 0.0f);
    run({sum(ReduceCmd::ResetReduce, 4)});
    EXPECT_EQ(accumulator(2), 1 + 2 + 3 + 4 + 4 * 0.5f);
    run({sum(ReduceCmd::Reduce, 2), sum(ReduceCmd::Idle, 7)});
    EXPECT_EQ(accumulator(0), 10 + 3);
    run({sum(ReduceCmd::ResetReduce, 3)});
    EXPECT_EQ(accumulator(0), 6);
    run({sum(ReduceCmd::Reset, 5, 32)});
    EXPECT_EQ(accumulator(31), 0);
    EXPECT_EQ(accumulator(32), 6 + 3 * 8);  // a lane the instruction does not use keeps its register
}

// The sum starts with the first element unchanged: -0 stays -0.
TEST_F(ScalarDirected, AnewTakesTheFirstElement) {
    for (unsigned lane = 0; lane < Lanes; ++lane) bench_.memories.sbuf[0][lane] = bits(-0.0f);
    model_.memories = bench_.memories;
    run({sum(ReduceCmd::ResetReduce, 1)});
    EXPECT_TRUE(std::signbit(accumulator(0)));
    run({sum(ReduceCmd::Reset, 1), sum(ReduceCmd::Reduce, 1)});
    EXPECT_FALSE(std::signbit(accumulator(0)));
}

TEST_F(ScalarDirected, StochasticRoundingFollowsSeedFieldAndCore) {
    Tensors t = columns(40);
    t.dst.dtype = Dtype::Bf16;
    for (unsigned row = 0; row < 40; ++row) {
        for (unsigned lane = 0; lane < Lanes; ++lane)
            bench_.memories.sbuf[row][lane] = bits(1.0f) + row * 3000 + lane;
    }
    model_.memories = bench_.memories;
    Instruction i = activate(t, {});
    i.set(field::Rounding, isa::Rounding::Stochastic);
    run({i, i});
    bench_.seed(7);
    model_.seed(7);
    run({i});
    i.set(field::Rounding, isa::Rounding::Core);
    run({i});
    bench_.sr_enable(true);
    model_.sr_enable = true;
    run({i});
    i.set(field::Rounding, isa::Rounding::Nearest);
    run({i});
}

}  // namespace
}  // namespace trnsim::test
