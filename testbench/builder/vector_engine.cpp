// The Vector engine's part of KernelBuilder.
#include <fmt/format.h>

#include "testbench/builder/error.hpp"
#include "testbench/builder/kernel_builder.hpp"
#include "testbench/builder/patterns.hpp"
#include "testbench/builder/rules.hpp"

namespace trnsim::builder {

using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

namespace {

void check_vector(const neff::Target& target, std::string_view name, const Tile& dst, const Tile& source) {
    for (const Tile* tile : {&dst, &source}) {
        check_operand(target, name, *tile);
        check_partition_start(target, name, *tile);
    }
    check_same_shape(name, source, dst);
}

}  // namespace

void KernelBuilder::set_scalar(Instruction& instruction, const Scalar& operand, const isa::Field& value,
                               const isa::Field& flag, std::uint32_t partitions) const {
    if (const float* constant = std::get_if<float>(&operand)) {
        instruction.set_float(value, *constant);
        return;
    }
    const Tile& tile = std::get<Tile>(operand);
    check_per_partition(target(), "tensor_scalar", tile, partitions);
    instruction.set(value, address_of(target(), tile.memory, tile.partition, tile.offset)).set(flag, 1u);
}

Event KernelBuilder::tensor_copy(const Tile& dst, const Tile& source, const After& after,
                                 isa::Rounding rounding) {
    check_vector(target(), "tensor_copy", dst, source);
    Instruction instruction(Opcode::TensorCopy);
    set_shape(instruction, source);
    set_operand(instruction, OperandRole::Dst, target(), dst);
    set_operand(instruction, OperandRole::A, target(), source);
    instruction.set(field::Partitions, source.partitions).set(field::Rounding, rounding);
    return program_.append(isa::Engine::Vector, instruction, after, true);
}

Event KernelBuilder::tensor_tensor(const Tile& dst, const Tile& a, isa::AluOp op, const Tile& b,
                                   const After& after, isa::Rounding rounding) {
    constexpr std::string_view Name = "tensor_tensor";
    check_vector(target(), Name, dst, a);
    check_vector(target(), Name, dst, b);
    if (a.memory == Memory::Psum && b.memory == Memory::Psum) {
        throw Error(fmt::format("{}: both sources are in PSUM", Name));
    }
    Instruction instruction(Opcode::TensorTensor);
    set_shape(instruction, a);
    set_operand(instruction, OperandRole::Dst, target(), dst);
    set_operand(instruction, OperandRole::A, target(), a);
    set_operand(instruction, OperandRole::B, target(), b);
    instruction.set(field::Partitions, a.partitions).set(field::Op0, op).set(field::Rounding, rounding);
    return program_.append(isa::Engine::Vector, instruction, after, true);
}

Event KernelBuilder::tensor_scalar(const Tile& dst, const Tile& a, const AluStep& first,
                                   const AluStep& second, const After& after, isa::Rounding rounding) {
    check_vector(target(), "tensor_scalar", dst, a);
    Instruction instruction(Opcode::TensorScalar);
    set_shape(instruction, a);
    set_operand(instruction, OperandRole::Dst, target(), dst);
    set_operand(instruction, OperandRole::A, target(), a);
    instruction.set(field::Partitions, a.partitions)
        .set(field::Op0, first.op)
        .set(field::Op1, second.op)
        .set(field::Reverse0, first.reverse ? 1u : 0u)
        .set(field::Reverse1, second.reverse ? 1u : 0u)
        .set(field::Rounding, rounding);
    set_scalar(instruction, first.operand, field::Imm0, field::Imm0Vector, a.partitions);
    set_scalar(instruction, second.operand, field::Imm1, field::Imm1Vector, a.partitions);
    return program_.append(isa::Engine::Vector, instruction, after, true);
}

}  // namespace trnsim::builder
