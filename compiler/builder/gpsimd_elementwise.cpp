// Element-wise commands of the GpSimd microcode.
#include <fmt/format.h>

#include "arch/target/dtype.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/gpsimd_command.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/rules.hpp"
#include "isa/alu_operations.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {

using firmware::Command;

namespace {

// Throws Error unless the microcode has the operation for floats, or for integers.
void check_operation(const GpsimdCommand& command, isa::AluOp op, bool floats) {
    using enum isa::AluOp;
    const bool has = floats ? !isa::is_bit_operation(op) : op != Reciprocal && op != Rsqrt && op != Power;
    command.require(has,
                    fmt::format("GpSimd has no {} of {}", isa::name_of(op), floats ? "floats" : "integers"));
}

void check_comparison(const GpsimdCommand& command, isa::AluOp op) {
    command.require(op >= isa::AluOp::IsEqual && op <= isa::AluOp::LessEqual,
                    fmt::format("{} is no comparison", isa::name_of(op)));
}

void check_rounding(const GpsimdCommand& command, isa::Rounding rounding) {
    command.require(rounding != isa::Rounding::Stochastic, "GpSimd rounds to the nearest");
}

}  // namespace

Event KernelBuilder::gpsimd_memset(const Tile& dst, const Scalar& value, const OnEngine& options,
                                   const Where& where) {
    GpsimdCommand command(target(), "memset");
    command.write(dst);
    check_rounding(command, options.rounding);
    const float* number = std::get_if<float>(&value);
    command.require(number != nullptr, "GpSimd sets a constant");
    using Arguments = firmware::MemsetArguments;
    command.set_arguments(Arguments{command.shape(dst), command.tensor(dst),
                                    command.immediate(*number, target::is_float(dst.dtype))},
                          {{offsetof(Arguments, dst), dst}});
    return append_microcode(static_cast<std::uint32_t>(Command::Memset), command, options.after, where);
}

Event KernelBuilder::gpsimd_copy(const Tile& dst, const Tile& source, const OnEngine& options,
                                 const Where& where) {
    GpsimdCommand command(target(), "tensor_copy");
    command.write(dst).read(source);
    check_rounding(command, options.rounding);
    check_same_shape(command.name(), dst, source);
    command.require_partitions_of(dst, source);
    command.check_overlap(dst, source);
    using Arguments = firmware::TensorCopyArguments;
    command.set_arguments(Arguments{command.shape(dst), command.tensor(dst), command.tensor(source)},
                          {{offsetof(Arguments, dst), dst}, {offsetof(Arguments, a), source}});
    return append_microcode(static_cast<std::uint32_t>(Command::TensorCopy), command, options.after, where);
}

Event KernelBuilder::gpsimd_binary(const Tile& dst, const Tile& a, const AluOrder& op, const Tile& b,
                                   const OnEngine& options, const Where& where) {
    GpsimdCommand command(target(), "tensor_tensor");
    command.write(dst).read(a).read(b);
    check_rounding(command, options.rounding);
    for (const Tile* source : {&a, &b}) {
        check_same_shape(command.name(), dst, *source);
        command.require_partitions_of(dst, *source);
        command.check_overlap(dst, *source);
    }
    check_operation(command, op.op,
                    target::is_float(dst.dtype) || target::is_float(a.dtype) || target::is_float(b.dtype));
    using Arguments = firmware::TensorTensorArguments;
    const Tile &one = op.reverse ? b : a, &other = op.reverse ? a : b;
    command.set_arguments(
        Arguments{command.shape(dst), command.tensor(dst), command.tensor(one), command.tensor(other),
                  alu(op.op)},
        {{offsetof(Arguments, dst), dst}, {offsetof(Arguments, a), one}, {offsetof(Arguments, b), other}});
    return append_microcode(static_cast<std::uint32_t>(Command::TensorTensor), command, options.after, where);
}

Event KernelBuilder::gpsimd_scalar(const Tile& dst, const Tile& a, const AluStep& first,
                                   const AluStep& second, const OnEngine& options, const Where& where) {
    using Arguments = firmware::TensorScalarArguments;
    GpsimdCommand command(target(), "tensor_scalar");
    command.write(dst).read(a);
    check_rounding(command, options.rounding);
    check_same_shape(command.name(), dst, a);
    command.require_partitions_of(dst, a);
    command.check_overlap(dst, a);
    const bool floats = target::is_float(dst.dtype) || target::is_float(a.dtype);
    Arguments arguments{
        command.shape(dst), command.tensor(dst), command.tensor(a), alu(first.op), alu(second.op), 0, 0, 0};
    std::vector<GpsimdCommand::TileWord> places{{offsetof(Arguments, dst), dst}, {offsetof(Arguments, a), a}};
    const auto operand = [&](const AluStep& step, std::uint32_t reverse, std::uint32_t vector,
                             std::uint32_t& immediate, std::size_t at) {
        check_operation(command, step.op, floats);
        if (step.reverse) arguments.flags |= reverse;
        if (const float* value = std::get_if<float>(&step.operand)) {
            immediate = command.immediate(*value, floats);
            return;
        }
        const Tile& column = std::get<Tile>(step.operand);
        command.read(column);
        command.require_partitions_of(dst, column);
        command.require(isa::element_size(column.dtype) == 4 && target::is_float(column.dtype) == floats &&
                            column.elements() == 1,
                        fmt::format("{} is not {} [{}, 1]", column.describe(), floats ? "fp32" : "i32 or u32",
                                    dst.partitions));
        command.check_overlap(dst, column);
        arguments.flags |= vector;
        immediate = column.offset;
        places.push_back({at, column});
    };
    operand(first, Arguments::Reverse0, Arguments::Vector0, arguments.imm0, offsetof(Arguments, imm0));
    operand(second, Arguments::Reverse1, Arguments::Vector1, arguments.imm1, offsetof(Arguments, imm1));
    command.set_arguments(arguments, places);
    return append_microcode(static_cast<std::uint32_t>(Command::TensorScalar), command, options.after, where);
}

Event KernelBuilder::iota(const Tile& dst, const Affine& affine, const After& after, Where where) try {
    GpsimdCommand command(target(), "iota");
    command.write(dst);
    using Arguments = firmware::IotaArguments;
    command.set_arguments(Arguments{command.shape(dst), command.tensor(dst), command.affine(affine, dst)},
                          {{offsetof(Arguments, dst), dst}});
    return append_microcode(static_cast<std::uint32_t>(Command::Iota), command, after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::affine_select(const Tile& dst, const Tile& a, const Affine& affine, isa::AluOp compare,
                                   const Number& otherwise, const After& after, Where where) try {
    GpsimdCommand command(target(), "affine_select");
    command.write(dst).read(a);
    check_same_shape(command.name(), dst, a);
    command.require_partitions_of(dst, a);
    command.check_overlap(dst, a);
    check_comparison(command, compare);
    command.require(target::is_float(dst.dtype) == target::is_float(a.dtype),
                    "takes floats to floats, integers to integers");
    using Arguments = firmware::AffineSelectArguments;
    command.set_arguments(
        Arguments{command.shape(dst), command.tensor(dst), command.tensor(a), command.affine(affine, dst),
                  alu(compare), command.immediate(otherwise, target::is_float(dst.dtype))},
        {{offsetof(Arguments, dst), dst}, {offsetof(Arguments, a), a}});
    return append_microcode(static_cast<std::uint32_t>(Command::AffineSelect), command, after, where);
} catch (const Error&) {
    throw_at(where);
}

}  // namespace trnsim::builder
