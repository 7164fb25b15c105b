#include "compiler/builder/lane_instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/target/dtype.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/overlap.hpp"
#include "compiler/builder/rules.hpp"
#include "isa/alu_operations.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {

using isa::AluOp;
using isa::is_bit_operation;
using isa::Opcode;
namespace field = isa::field;

namespace {

// A set of operations, and the message for an operation that is not in it.
struct Operations {
    bool (*has)(AluOp);
    std::string_view other;
};
constexpr Operations Any{[](AluOp op) { return isa::is_arithmetic(op) || is_bit_operation(op); },
                         "is no operation of Vector or Scalar"};
constexpr Operations Arithmetic{isa::is_arithmetic, "is no arithmetic operation of Vector"};
constexpr Operations Reduction{isa::reduces, "is no reduction of numbers"};
constexpr Operations AnyReduction{[](AluOp op) { return isa::reduces(op) || isa::reduces_bits(op); },
                                  "is no reduction"};

// The operations that an instruction takes as its first and as its second.
struct OperationsOf {
    Opcode opcode;
    Operations first, second;
};
constexpr OperationsOf Allowed[] = {
    {Opcode::TensorTensor, Any, Any},
    {Opcode::TensorScalar, Any, Any},
    {Opcode::ScalarTensorTensor, Arithmetic, Arithmetic},
    {Opcode::TensorTensorScan, Arithmetic, Arithmetic},
    {Opcode::TensorScalarCumulative, Arithmetic, Arithmetic},
    {Opcode::TensorScalarReduce, Arithmetic, Reduction},
    {Opcode::TensorReduce, AnyReduction, Any},
};

// Returns whether some elements of the destination keep their values: by a predicate, or in rows that a mask
// leaves out.
bool keeps_some(Opcode opcode) {
    return opcode == Opcode::TensorCopyPredicated || opcode == Opcode::StreamShuffle;
}

AluOp checked(const isa::InstructionInfo& info, Operations OperationsOf::*place, AluOp op) {
    const Operations& operations = std::ranges::find(Allowed, info.opcode, &OperationsOf::opcode)->*place;
    if (operations.has(op)) return op;
    throw Error(fmt::format("{}: {} {}", info.name, isa::name_of(op), operations.other));
}

}  // namespace

LaneInstruction::LaneInstruction(const target::Core& target, isa::Opcode opcode, const Tile& shape)
    : target_(target), instruction_(opcode), shape_(shape) {
    check_operand(target_, name(), shape);
    set_shape(instruction_, shape);
    instruction_.set(field::Partitions, shape.partitions);
}

LaneInstruction& LaneInstruction::operand(isa::Role role, const Tile& tile) {
    check_same_shape(name(), tile, shape_);
    return placed_operand(role, tile);
}

LaneInstruction& LaneInstruction::fixed_operand(isa::Role role, const Tile& tile, std::uint32_t elements) {
    require(tile.partitions == shape_.partitions && tile.axes.size() == 1 && tile.axes[0].count == elements,
            fmt::format("{} is not [{}, {}]", tile.describe(), shape_.partitions, elements));
    return placed_operand(role, tile);
}

LaneInstruction& LaneInstruction::placed_operand(isa::Role role, const Tile& tile) {
    check_operand(target_, name(), tile);
    check_partition_start(target_, name(), tile);
    set_operand(instruction_, role, target_, tile);
    operands_.push_back({tile, isa::fields_of(role).address, role == isa::Role::Dst});
    return *this;
}

LaneInstruction& LaneInstruction::rounding(isa::Rounding rounding) {
    return set(field::Rounding, rounding);
}

LaneInstruction& LaneInstruction::scalar(const Scalar& value, const isa::Field& field,
                                         const isa::Field& is_vector) {
    if (const float* constant = std::get_if<float>(&value)) {
        instruction_.set_float(field, *constant);
        return *this;
    }
    return column(std::get<Tile>(value), field, is_vector, std::array{isa::Dtype::Fp32});
}

LaneInstruction& LaneInstruction::scalar(const Scalar& value, const isa::Field& field,
                                         const isa::Field& is_vector, const isa::Field& dtype,
                                         std::span<const isa::Dtype> types) {
    const Tile* tile = std::get_if<Tile>(&value);
    if (tile == nullptr) return scalar(value, field, is_vector);
    return column(*tile, field, is_vector, types).set(dtype, isa::immediate_dtype(tile->dtype));
}

LaneInstruction& LaneInstruction::column(const Tile& tile, const isa::Field& field,
                                         const isa::Field& is_vector, std::span<const isa::Dtype> types) {
    check_per_partition(target_, name(), tile, shape_.partitions, types);
    instruction_.set(field, address_of(target_, tile.memory, tile.partition, tile.offset)).set(is_vector, 1u);
    columns_.push_back({tile, &field, false});
    return *this;
}

LaneInstruction& LaneInstruction::first(const AluStep& step) {
    return first({step.op, step.reverse}).scalar(step.operand, field::Imm0, field::Imm0Vector);
}

LaneInstruction& LaneInstruction::second(const AluStep& step) {
    return second({step.op, step.reverse}).scalar(step.operand, field::Imm1, field::Imm1Vector);
}

LaneInstruction& LaneInstruction::first(const AluOrder& order) {
    raw_ |= is_bit_operation(order.op);
    return set(field::Op0, checked(*instruction_.info(), &OperationsOf::first, order.op))
        .set(field::Reverse0, order.reverse ? 1u : 0u);
}

LaneInstruction& LaneInstruction::second(const AluOrder& order) {
    raw_ |= is_bit_operation(order.op);
    return set(field::Op1, checked(*instruction_.info(), &OperationsOf::second, order.op))
        .set(field::Reverse1, order.reverse ? 1u : 0u);
}

LaneInstruction& LaneInstruction::either(bool both) {
    either_ = both;
    return *this;
}

LaneInstruction& LaneInstruction::require_elements(std::uint64_t least, std::uint64_t most) {
    return require(shape_.elements() >= least && shape_.elements() <= most,
                   fmt::format("{} has not {} to {} elements", shape_.describe(), least, most));
}

LaneInstruction& LaneInstruction::require(bool holds, std::string_view rule) {
    if (!holds) throw Error(fmt::format("{}: {}", name(), rule));
    return *this;
}

Step LaneInstruction::finish(isa::Engine engine, const After& after) {
    const auto require_on = [this](isa::Engine one) {
        require((instruction_.info()->engines >> static_cast<unsigned>(one) & 1) != 0,
                fmt::format("the {} engine does not have it", isa::name_of(one)));
    };
    require_on(engine);
    if (either_)
        for (const isa::Engine one : {isa::Engine::Vector, isa::Engine::Scalar}) require_on(one);
    const auto dst = std::ranges::find(operands_, true, &Operand::written);
    int in_psum = 0;
    for (const Operand& source : operands_) {
        if (source.written) continue;
        in_psum += source.tile.memory == target::Memory::Psum ? 1 : 0;
        if (dst != operands_.end() && overlap_is_undefined(pattern_of(dst->tile), pattern_of(source.tile))) {
            throw Error(fmt::format("{}: {}: overlaps {} other than exactly in place or interleaved", name(),
                                    dst->tile.describe(), source.tile.describe()));
        }
    }
    require(in_psum < 2, "both sources are in PSUM");
    if (raw_) {
        for (const isa::Field* op : {&field::Op0, &field::Op1}) {
            const auto code = static_cast<AluOp>(instruction_.get(*op));
            require(code == AluOp::Bypass || is_bit_operation(code),
                    "bit operations go with each other only");
        }
        for (const Operand& operand : operands_) {
            const isa::Dtype dtype = operand.tile.dtype;
            require(!target::is_float(dtype) &&
                        isa::element_size(dtype) == isa::element_size(operands_.front().tile.dtype),
                    "bit operations take integers of one width");
        }
    }
    Step step(engine, instruction_, after);
    step.either = either_;
    const Role role = keeps_some(instruction_.opcode()) ? Role::Update : Role::Write;
    if (dst != operands_.end()) step.write(dst->tile, role).named_in(Mention::In::Field, dst->address);
    for (const std::vector<Operand>* read : {&operands_, &columns_}) {
        for (const Operand& operand : *read)
            if (!operand.written) step.read(operand.tile).named_in(Mention::In::Field, operand.address);
    }
    return step;
}

}  // namespace trnsim::builder
