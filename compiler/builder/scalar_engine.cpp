// The Scalar engine's part of KernelBuilder.
#include <fmt/format.h>

#include <bit>

#include "arch/activation/activation.hpp"
#include "arch/target/dtype.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/lane_instruction.hpp"

namespace trnsim::builder {

using isa::Opcode;
namespace field = isa::field;
using enum isa::Role;

isa::ActivationSet first_set_with(isa::Activation function) {
    for (const isa::EnumValue& value : isa::activation_set_values()) {
        const auto set = static_cast<isa::ActivationSet>(value.value);
        if (activation::in_set(function, set)) return set;
    }
    throw Error(fmt::format("activation: no table set has '{}'", isa::name_of(function)));
}

Event KernelBuilder::activation(const Tile& dst, const Tile& a, isa::Activation function,
                                const Activated& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::Activation, a);
    instruction.require(!isa::name_of(function).empty(), "there is no such function");
    instruction.operand(Dst, dst).operand(A, a).rounding(options.rounding);
    instruction.scalar(options.scale, field::Scale, field::ScaleVector)
        .scalar(options.bias, field::Bias, field::BiasVector, field::BiasDtype, target::bias_types())
        .set(field::Alpha, std::bit_cast<std::uint32_t>(options.alpha))
        .set(field::ActFunction, function)
        .set(field::ReduceCmd, options.reduce);
    return append_lanes(Engine::Scalar, instruction, options.after, where, function);
} catch (const Error&) {
    throw_at(where);
}

void KernelBuilder::load_table_of(isa::Activation function, Where where) try {
    check_unfinished();
    if (!recording_) need_table_of(function, program_.number_of(where));
} catch (const Error&) {
    throw_at(where);
}

void KernelBuilder::act_table_load(isa::ActivationSet set, Where where) try {
    check_unfinished();
    if (set == isa::ActivationSet::None || isa::name_of(set).empty())
        throw Error(fmt::format("act_table_load: {}, expected the set of a table",
                                isa::name_of(set).empty() ? fmt::format("set {}", static_cast<unsigned>(set))
                                                          : fmt::format("'{}'", isa::name_of(set))));
    if (!recording_) append_table_load(set, program_.number_of(where));
} catch (const Error&) {
    throw_at(where);
}

void KernelBuilder::need_table_of(isa::Activation function, std::uint32_t place) {
    if (!activation::in_set(function, table_set_)) append_table_load(first_set_with(function), place);
}

void KernelBuilder::append_table_load(isa::ActivationSet set, std::uint32_t place) {
    isa::Instruction instruction(Opcode::ActTableLoad);
    instruction.set(field::TableSet, set);
    append(Engine::Scalar, instruction, {}, true, place);
    table_set_ = set;
}

Event KernelBuilder::act_read_accumulator(const Tile& dst, const Rounded& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::ActReadAccumulator, dst);
    instruction.operand(Dst, dst).rounding(options.rounding).require_elements(1, 1);
    return append_lanes(Engine::Scalar, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

}  // namespace trnsim::builder
