#include "compiler/schedule/states.hpp"

#include <algorithm>

namespace trnsim::schedule {

using builder::Step;
using isa::Opcode;

namespace {

struct Row {
    Opcode opcode;
    StateUse use;
};

constexpr Row Table[] = {
    {Opcode::LoadStationary, {State::Weights, true}},
    {Opcode::MultiplyMoving, {State::Weights, false}},
    {Opcode::ActReadAccumulator, {State::ScalarSums, true}},
    {Opcode::ReadAccumulator, {State::VectorSums, true}},
    {Opcode::TensorScalarReduce, {State::VectorSums, true}},
    {Opcode::SelectReduce, {State::VectorSums, true}},
    {Opcode::Rng, {State::Random, true}},
    {Opcode::Dropout, {State::Random, true}},
    {Opcode::SetRngSeed, {State::Random, true}},
    {Opcode::LoadShuffleMask, {State::ShuffleMask, true}},
    {Opcode::StreamShuffle, {State::ShuffleMask, false}},
    {Opcode::GpsimdStart, {State::GpsimdMemory, true}},
};

}  // namespace

std::optional<StateUse> state_of(const Step& step) {
    const Opcode opcode = step.instruction.opcode();
    if (opcode == Opcode::Activation) {
        const auto reduce = static_cast<isa::ReduceCmd>(step.instruction.get(isa::field::ReduceCmd));
        if (reduce != isa::ReduceCmd::Idle) return StateUse{State::ScalarSums, true};
        return std::nullopt;
    }
    // The author's operators may keep something in the memory of a core.
    if (opcode == Opcode::GpsimdCommand && step.custom) return StateUse{State::GpsimdMemory, true};
    const auto* row = std::ranges::find(Table, opcode, &Row::opcode);
    return row == std::end(Table) ? std::nullopt : std::optional(row->use);
}

bool is_fence(const Step& step) {
    return !step.data_path && !step.queue;
}

}  // namespace trnsim::schedule
