#include "testbench/functional/scalar_engine.hpp"

#include <algorithm>
#include <array>

#include "arch/activation/activation.hpp"
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/vector_operations.hpp"

namespace trnsim::functional {

namespace field = isa::field;
using isa::Activation;
using isa::Opcode;
using isa::ReduceCmd;

namespace {

void activate(LaneExecution& work) {
    const auto code = static_cast<Activation>(work.instruction.get(field::ActFunction));
    const float alpha =
        numerics::to_fp32(static_cast<std::uint32_t>(work.instruction.get(field::Alpha)), isa::Dtype::Fp32);
    const auto command = static_cast<ReduceCmd>(work.instruction.get(field::ReduceCmd));
    const isa::Dtype bias_type = work.immediate_type(field::BiasDtype);
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

void copy_through_fp32(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) work.put(row, work.values(work.a, row));
}

struct ScalarRow {
    Opcode opcode;
    void (*run)(LaneExecution&);
};
constexpr std::array ScalarRows{
    ScalarRow{Opcode::Activation, activate},
    ScalarRow{Opcode::ActivationReduce, activate},
    ScalarRow{Opcode::ActReadAccumulator, read_accumulator},
    ScalarRow{Opcode::TensorCopy, copy_through_fp32},
    ScalarRow{Opcode::TensorScalar, tensor_scalar},
};

}  // namespace

void run_scalar(const isa::Instruction& instruction, const target::Core& target, LaneState& state,
                CoreMemory& memory) {
    if (instruction.opcode() == Opcode::ActTableLoad) {
        state.table_set = static_cast<isa::ActivationSet>(instruction.get(field::TableSet));
        return;
    }
    const auto* row = std::ranges::find(ScalarRows, instruction.opcode(), &ScalarRow::opcode);
    if (row == ScalarRows.end()) throw Error("the Scalar engine does not have the instruction");
    LaneExecution work(isa::Engine::Scalar, instruction, target, state, memory);
    row->run(work);
    work.commit();
}

}  // namespace trnsim::functional
