#include "testbench/functional/scalar_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/activation/activation.hpp"
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "arch/target/dtype.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/vector_operations.hpp"

namespace trnsim::functional {

namespace field = isa::field;
using isa::Activation;
using isa::AluOp;
using isa::Opcode;
using isa::ReduceCmd;

namespace {

void activate(LaneExecution& work) {
    const auto code = static_cast<Activation>(work.instruction.get(field::ActFunction));
    if (!activation::in_set(code, work.state.table_set)) {
        throw Error(fmt::format("table set '{}' has no '{}'", isa::name_of(work.state.table_set),
                                isa::name_of(code)));
    }
    const float alpha =
        numerics::to_fp32(static_cast<std::uint32_t>(work.instruction.get(field::Alpha)), isa::Dtype::Fp32);
    const auto command = static_cast<ReduceCmd>(work.instruction.get(field::ReduceCmd));
    const isa::Dtype bias_type =
        work.immediate_type(field::BiasDtype, field::BiasVector, target::bias_types());
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const float scale = work.immediate(field::Scale, field::ScaleVector, row);
        const float bias = work.immediate(field::Bias, field::BiasVector, row, bias_type);
        float& accumulator = work.state.accumulators[row];
        if (command == ReduceCmd::Reset) accumulator = 0.0f;
        Values values = work.values(work.a, row);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = activation::activate(code, numerics::fma_step(values[i], scale, bias), alpha);
            if (command == ReduceCmd::ResetReduce && i == 0) {
                accumulator = values[i];
            } else if (command == ReduceCmd::Reduce || command == ReduceCmd::ResetReduce) {
                accumulator = numerics::add(accumulator, values[i]);
            }
        }
        work.put(row, values);
    }
}

void activate_and_reduce(LaneExecution& work) {
    require(static_cast<ReduceCmd>(work.instruction.get(field::ReduceCmd)) != ReduceCmd::Idle,
            "reduce_cmd 'idle' does not belong here");
    activate(work);
}

void copy_through_fp32(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) work.put(row, work.values(work.a, row));
}

void scalar_tensor_scalar(LaneExecution& work) {
    for (const isa::Field* op : {&field::Op0, &field::Op1}) {
        const auto code = static_cast<AluOp>(work.instruction.get(*op));
        require(code == AluOp::Bypass || code == AluOp::Add || code == AluOp::Multiply,
                "the Scalar engine has bypass, add and multiply");
    }
    tensor_scalar(work);
}

struct ScalarRow {
    Opcode opcode;
    void (*run)(LaneExecution&);
};
constexpr std::array ScalarRows{
    ScalarRow{Opcode::Activation, activate},
    ScalarRow{Opcode::ActivationReduce, activate_and_reduce},
    ScalarRow{Opcode::ActReadAccumulator, read_accumulator},
    ScalarRow{Opcode::TensorCopy, copy_through_fp32},
    ScalarRow{Opcode::TensorScalar, scalar_tensor_scalar},
};

}  // namespace

void run_scalar(const isa::Instruction& instruction, const target::Core& target, LaneState& state,
                CoreMemory& memory) {
    if (instruction.opcode() == Opcode::ActTableLoad) {
        const auto set = static_cast<isa::ActivationSet>(instruction.get(field::TableSet));
        require(!isa::name_of(set).empty(), "no such table set");
        state.table_set = set;
        return;
    }
    const auto* row = std::ranges::find(ScalarRows, instruction.opcode(), &ScalarRow::opcode);
    if (row == ScalarRows.end()) throw Error("the Scalar engine does not have the instruction");
    LaneExecution work(instruction, target, state, memory);
    row->run(work);
    work.commit();
}

}  // namespace trnsim::functional
