// The Vector engine's part of KernelBuilder: reductions, scans, statistics.
#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/lane_instruction.hpp"

namespace trnsim::builder {

using isa::Opcode;
using isa::ReduceCmd;
namespace field = isa::field;
using enum isa::Role;

namespace {

// Returns the dst of a reduction with as many axes as its source: the reduced ones have one element.
Tile with_reduced_axes(Tile dst, std::size_t outer, std::size_t axes) {
    while (dst.axes.size() > outer && dst.axes.back().count == 1) dst.axes.pop_back();
    dst.axes.insert(dst.axes.end(), axes, Axis{1, 1});
    return dst;
}

}  // namespace

Event KernelBuilder::tensor_reduce(const Tile& dst, const Tile& a, isa::AluOp op, const Reduced& options,
                                   Where where) try {
    LaneInstruction instruction(target(), Opcode::TensorReduce, a);
    instruction.require(options.axes >= 1 && options.axes <= a.axes.size(), "no such axes to reduce");
    const std::size_t outer = a.axes.size() - options.axes;
    const Tile result = with_reduced_axes(dst, outer, options.axes);
    bool same = result.partitions == a.partitions && result.axes.size() == a.axes.size();
    for (std::size_t i = 0; same && i < outer; ++i) same = result.axes[i].count == a.axes[i].count;
    instruction.require(same, "the result has not the axes that remain");
    instruction.placed_operand(Dst, result).operand(A, a).first(op).rounding(options.rounding);
    instruction.set(field::ReduceAxes, options.axes).set(field::Negate, options.negate ? 1u : 0u);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::tensor_scalar_reduce(const Tile& dst, const Tile& a, const AluStep& first, isa::AluOp op,
                                          const Accumulated& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::TensorScalarReduce, a);
    instruction.operand(Dst, dst).operand(A, a).first(first).second(AluOrder(op)).rounding(options.rounding);
    instruction.require(options.reduce != ReduceCmd::Idle, "reduce_cmd 'idle' does not belong here")
        .set(field::ReduceCmd, options.reduce);
    if (options.reduce == ReduceCmd::Reset)
        instruction.scalar(options.initial, field::Imm1, field::Imm1Vector);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::read_accumulator(const Tile& dst, const Rounded& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::ReadAccumulator, dst);
    instruction.operand(Dst, dst).rounding(options.rounding).require_elements(1, 1);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::tensor_tensor_scan(const Tile& dst, const Tile& a, const AluOrder& first,
                                        const AluOrder& second, const Tile& b, const Scanned& options,
                                        Where where) try {
    LaneInstruction instruction(target(), Opcode::TensorTensorScan, a);
    instruction.operand(Dst, dst).operand(A, a).operand(B, b).rounding(options.rounding);
    instruction.first(first).second(second).scalar(options.initial, field::Imm0, field::Imm0Vector);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::tensor_scalar_cumulative(const Tile& dst, const Tile& a, const AluStep& first,
                                              const AluOrder& second, const Rounded& options,
                                              Where where) try {
    LaneInstruction instruction(target(), Opcode::TensorScalarCumulative, a);
    instruction.operand(Dst, dst).operand(A, a).first(first).second(second).rounding(options.rounding);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::bn_stats(const Tile& dst, const Tile& a, const Rounded& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::BnStats, a);
    instruction.fixed_operand(Dst, dst, 6).operand(A, a).rounding(options.rounding).require_elements(1, 512);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::bn_aggr(const Tile& dst, const Tile& a, const Rounded& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::BnAggr, a);
    instruction.fixed_operand(Dst, dst, 2).operand(A, a).rounding(options.rounding);
    instruction.require(a.elements() % 3 == 0, "the elements are no triples");
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

}  // namespace trnsim::builder
