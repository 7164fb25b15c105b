// Tests the ALU operations of Vector's instructions: the builder refuses those that the interpreter refuses,
// and no others.
#include <gtest/gtest.h>

#include <functional>

#include "compiler/builder/error.hpp"
#include "testbench/functional/lane_bench.hpp"

namespace trnsim::functional {
namespace {

using builder::KernelBuilder;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

using Call = std::function<void(KernelBuilder&, AluOp, AluOp)>;

// Returns the interpreter's refusal of the instruction with these operations in place of additions; empty if
// it executes it.
std::string refusal(LaneBench& bench, const Call& call, AluOp op0, AluOp op1) {
    KernelBuilder builder("one", "", bench.target);
    call(builder, AluOp::Add, AluOp::Add);
    isa::Instruction instruction =
        builder.finish().programs[static_cast<std::size_t>(isa::Engine::Vector)].front();
    instruction.set(isa::field::Op0, op0).set(isa::field::Op1, op1);
    try {
        bench.execute(isa::Engine::Vector, instruction);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

// Returns whether the builder takes the call; its refusal must be one line.
bool taken(LaneBench& bench, const Call& call, AluOp op0, AluOp op1) {
    KernelBuilder builder("one", "", bench.target);
    try {
        call(builder, op0, op1);
        builder.finish();
    } catch (const builder::Error& error) {
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
        return false;
    }
    return true;
}

TEST(Operations, TheBuilderRefusesThoseThatTheInterpreterRefuses) {
    std::size_t refused = 0;
    for (const Dtype dtype : {Dtype::Fp32, Dtype::U32}) {
        LaneBench bench;
        const Tile a = bench.tile(8, dtype, {4}), dst = bench.tile(8, dtype, {4}),
                   one = bench.tile(8, dtype, {1});
        for (std::uint32_t row = 0; row < 8; ++row)
            for (std::uint32_t i = 0; i < 4; ++i) bench.write(a, row, i, 1);
        const std::pair<Call, bool> calls[] = {
            // The second value of a row tells if it has a second operation.
            {[&](KernelBuilder& k, AluOp op, AluOp) { k.tensor_tensor(dst, a, op, a); }, false},
            {[&](KernelBuilder& k, AluOp op, AluOp) { k.tensor_reduce(one, a, op); }, false},
            {[&](KernelBuilder& k, AluOp op0, AluOp op1) {
                 k.tensor_scalar(dst, a, {op0, 2.0f}, {op1, 3.0f});
             },
             true},
            {[&](KernelBuilder& k, AluOp op0, AluOp op1) {
                 k.scalar_tensor_tensor(dst, a, {op0, 2.0f}, op1, a);
             },
             true},
            {[&](KernelBuilder& k, AluOp op0, AluOp op1) {
                 k.tensor_scalar_reduce(dst, a, {op0, 2.0f}, op1);
             },
             true},
            {[&](KernelBuilder& k, AluOp op0, AluOp op1) { k.tensor_tensor_scan(dst, a, op0, op1, a); },
             true},
            {[&](KernelBuilder& k, AluOp op0, AluOp op1) {
                 k.tensor_scalar_cumulative(dst, a, {op0, 2.0f}, op1);
             },
             true},
        };
        for (const auto& [call, two] : calls) {
            for (const isa::EnumValue& first : isa::alu_op_values()) {
                for (const isa::EnumValue& second : isa::alu_op_values()) {
                    const auto op0 = static_cast<AluOp>(first.value), op1 = static_cast<AluOp>(second.value);
                    if (!two && op1 != AluOp::Bypass) continue;
                    const bool takes = taken(bench, call, op0, op1);
                    const std::string why = refusal(bench, call, op0, op1);
                    EXPECT_EQ(takes, why.empty())
                        << isa::name_of(dtype) << ' ' << first.name << ' ' << second.name << ": " << why;
                    refused += takes ? 0 : 1;
                }
            }
        }
    }
    EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace trnsim::functional
