// The Vector engine's part of KernelBuilder: element by element.
#include "arch/target/dtype.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/lane_instruction.hpp"

namespace trnsim::builder {

using isa::Opcode;
namespace field = isa::field;
using enum isa::Role;

namespace {

bool is_on_gpsimd(const OnEngine& options) {
    if (options.engine != isa::Engine::Gpsimd) return false;
    if (options.either) throw Error("GpSimd and a choice between Vector and Scalar, expected one of them");
    return true;
}

}  // namespace

Event KernelBuilder::tensor_copy(const Tile& dst, const Tile& source, const OnEngine& options,
                                 Where where) try {
    if (is_on_gpsimd(options)) return gpsimd_copy(dst, source, options, where);
    LaneInstruction copy(target(), Opcode::TensorCopy, source);
    copy.operand(Dst, dst).operand(A, source).rounding(options.rounding).either(options.either);
    return append_lanes(options.engine, copy, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::tensor_scalar(const Tile& dst, const Tile& a, const AluStep& first,
                                   const AluStep& second, const OnEngine& options, Where where) try {
    if (is_on_gpsimd(options)) return gpsimd_scalar(dst, a, first, second, options, where);
    LaneInstruction instruction(target(), Opcode::TensorScalar, a);
    instruction.operand(Dst, dst).operand(A, a).first(first).second(second).rounding(options.rounding);
    instruction.either(options.either);
    for (const AluStep* step : {&first, &second}) {
        using isa::AluOp;
        const bool simple =
            step->op == AluOp::Bypass || step->op == AluOp::Add || step->op == AluOp::Multiply;
        instruction.require((options.engine != Engine::Scalar && !options.either) || simple,
                            "the Scalar engine has bypass, add and multiply");
    }
    return append_lanes(options.engine, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::memset(const Tile& dst, const Scalar& value, const OnEngine& options, Where where) try {
    if (is_on_gpsimd(options)) return gpsimd_memset(dst, value, options, where);
    LaneInstruction instruction(target(), Opcode::Memset, dst);
    instruction.require(options.engine == Engine::Vector, "is on Vector and GpSimd");
    instruction.operand(Dst, dst).scalar(value, field::Imm0, field::Imm0Vector).rounding(options.rounding);
    instruction.either(options.either);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::tensor_tensor(const Tile& dst, const Tile& a, const AluOrder& op, const Tile& b,
                                   const OnEngine& options, Where where) try {
    if (is_on_gpsimd(options)) return gpsimd_binary(dst, a, op, b, options, where);
    LaneInstruction instruction(target(), Opcode::TensorTensor, a);
    instruction.require(options.engine == Engine::Vector, "is on Vector and GpSimd");
    instruction.operand(Dst, dst).operand(A, a).operand(B, b).first(op).rounding(options.rounding);
    instruction.either(options.either);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::scalar_tensor_tensor(const Tile& dst, const Tile& a, const AluStep& first,
                                          const AluOrder& second, const Tile& b, const Rounded& options,
                                          Where where) try {
    LaneInstruction instruction(target(), Opcode::ScalarTensorTensor, a);
    instruction.operand(Dst, dst).operand(A, a).operand(B, b).first(first).second(second).rounding(
        options.rounding);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::reciprocal(const Tile& dst, const Tile& a, const Rounded& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::Reciprocal, a);
    instruction.operand(Dst, dst).operand(A, a).rounding(options.rounding);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::tensor_copy_predicated(const Tile& dst, const Tile& predicate, const Tile& source,
                                            const Predicated& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::TensorCopyPredicated, dst);
    instruction.operand(Dst, dst).operand(A, predicate).operand(B, source);
    instruction.require(!target::is_float(predicate.dtype), "the predicate is no integer")
        .require(source.dtype == dst.dtype, "source and result differ in type")
        .set(field::Reverse0, options.inverted ? 1u : 0u);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::memset_predicated(const Tile& dst, const Tile& predicate, const Scalar& value,
                                       const Predicated& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::TensorCopyPredicated, dst);
    instruction.operand(Dst, dst).operand(A, predicate);
    instruction.require(!target::is_float(predicate.dtype), "the predicate is no integer")
        .scalar(value, field::Imm0, field::Imm0Vector)
        .set(field::BImmediate, 1u)
        .set(field::Reverse0, options.inverted ? 1u : 0u);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::select_reduce(const Tile& dst, const Tile& a, const Tile& predicate,
                                   const Scalar& otherwise, const Selected& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::SelectReduce, a);
    instruction.operand(Dst, dst).operand(A, a).operand(B, predicate).rounding(options.rounding);
    instruction.require(!target::is_float(predicate.dtype), "the predicate is no integer")
        .require(options.reduce != isa::ReduceCmd::Reset, "reduce_cmd 'reset' does not belong here")
        .scalar(otherwise, field::Imm0, field::Imm0Vector)
        .set(field::ReduceCmd, options.reduce)
        .set(field::Reverse0, options.inverted ? 1u : 0u);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

}  // namespace trnsim::builder
