// The Scalar engine's part of KernelBuilder.
#include <bit>

#include "testbench/builder/kernel_builder.hpp"
#include "testbench/builder/lane_instruction.hpp"

namespace trnsim::builder {

using isa::Opcode;
namespace field = isa::field;
using enum OperandRole;

Event KernelBuilder::activation(const Tile& dst, const Tile& a, isa::Activation function,
                                const ActivationOptions& options, const After& after, Rounding rounding) {
    LaneInstruction instruction(target(), Opcode::Activation, a);
    instruction.operand(Dst, dst).operand(A, a).rounding(rounding);
    instruction.scalar(options.scale, field::Scale, field::ScaleVector)
        .scalar(options.bias, field::Bias, field::BiasVector)
        .set(field::Alpha, std::bit_cast<std::uint32_t>(options.alpha))
        .set(field::ActFunction, function)
        .set(field::ReduceCmd, options.reduce);
    return append_lanes(Engine::Scalar, instruction.finish(), after);
}

Event KernelBuilder::act_read_accumulator(const Tile& dst, const After& after, Rounding rounding) {
    LaneInstruction instruction(target(), Opcode::ActReadAccumulator, dst);
    instruction.operand(Dst, dst).rounding(rounding).require_elements(1, 1);
    return append_lanes(Engine::Scalar, instruction.finish(), after);
}

}  // namespace trnsim::builder
