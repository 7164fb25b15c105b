#include "testbench/functional/scalar_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "testbench/functional/alu.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/vector_operations.hpp"
#include "testbench/numerics/arithmetic.hpp"
#include "testbench/numerics/format.hpp"

namespace trnsim::functional {

namespace field = isa::field;
using isa::Activation;
using isa::AluOp;
using isa::Opcode;
using isa::ReduceCmd;

namespace {

struct FunctionRow {
    Activation function;
    float (*apply)(float z, float alpha);
};

// Those that need no table.
constexpr std::array FunctionRows{
    FunctionRow{Activation::Copy, [](float z, float) { return z; }},
    FunctionRow{Activation::Square, [](float z, float) { return numerics::multiply(z, z); }},
    FunctionRow{Activation::Relu, [](float z, float) { return numerics::maximum(z, 0.0f); }},
    FunctionRow{Activation::Abs, [](float z, float) { return numerics::maximum(z, -z); }},
    FunctionRow{Activation::Sign,
                [](float z, float) { return std::isnan(z) || z == 0 ? z : std::copysign(1.0f, z); }},
    FunctionRow{Activation::Prelu,
                [](float z, float alpha) { return z < 0 ? numerics::multiply(alpha, z) : z; }},
};

void activation(Work& work) {
    const auto code = static_cast<Activation>(work.instruction.get(field::ActFunction));
    const auto* function = std::ranges::find(FunctionRows, code, &FunctionRow::function);
    if (function == FunctionRows.end())
        throw Error(fmt::format("no loaded table set has '{}'", isa::name_of(code)));
    const float alpha =
        numerics::to_fp32(static_cast<std::uint32_t>(work.instruction.get(field::Alpha)), isa::Dtype::Fp32);
    const auto command = static_cast<ReduceCmd>(work.instruction.get(field::ReduceCmd));
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const float scale = work.immediate(field::Scale, field::ScaleVector, row);
        const float bias = work.immediate(field::Bias, field::BiasVector, row);
        float& accumulator = work.state.accumulators[row];
        if (command == ReduceCmd::Reset) accumulator = 0.0f;
        Values values = work.values(work.a, row);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = function->apply(numerics::fma_step(values[i], scale, bias), alpha);
            if (command == ReduceCmd::ResetReduce && i == 0) {
                accumulator = values[i];
            } else if (command == ReduceCmd::Reduce || command == ReduceCmd::ResetReduce) {
                accumulator = numerics::add(accumulator, values[i]);
            }
        }
        work.put(row, values);
    }
}

void activation_reduce(Work& work) {
    require(static_cast<ReduceCmd>(work.instruction.get(field::ReduceCmd)) != ReduceCmd::Idle,
            "reduce_cmd 'idle' does not belong here");
    activation(work);
}

void copy_through_fp32(Work& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) work.put(row, work.values(work.a, row));
}

void scalar_tensor_scalar(Work& work) {
    for (const isa::Field* op : {&field::Op0, &field::Op1}) {
        const auto code = static_cast<AluOp>(work.instruction.get(*op));
        require(code == AluOp::Bypass || code == AluOp::Add || code == AluOp::Multiply,
                "the Scalar engine has bypass, add and multiply");
    }
    tensor_scalar(work);
}

struct Row {
    Opcode opcode;
    void (*run)(Work&);
};
constexpr std::array Rows{
    Row{Opcode::Activation, activation},
    Row{Opcode::ActivationReduce, activation_reduce},
    Row{Opcode::ActReadAccumulator, read_accumulator},
    Row{Opcode::TensorCopy, copy_through_fp32},
    Row{Opcode::TensorScalar, scalar_tensor_scalar},
};

}  // namespace

void run_scalar(const isa::Instruction& instruction, const neff::Target& target, LaneState& state,
                CoreMemory& memory) {
    if (instruction.opcode() == Opcode::ActTableLoad) {
        state.table_set = static_cast<std::uint8_t>(instruction.get(field::TableSet));
        return;
    }
    const auto* row = std::ranges::find(Rows, instruction.opcode(), &Row::opcode);
    if (row == Rows.end()) throw Error("the Scalar engine does not have the instruction");
    Work work(instruction, target, state, memory);
    row->run(work);
    work.commit();
}

}  // namespace trnsim::functional
