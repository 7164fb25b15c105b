// An instruction of the Vector or Scalar engine while its fields are filled in. Every member checks its
// arguments and throws Error if the hardware would refuse them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "compiler/builder/patterns.hpp"
#include "compiler/builder/scalar.hpp"
#include "compiler/builder/step.hpp"

namespace trnsim::builder {

class LaneInstruction {
  public:
    // `shape` is the tile that has the partitions and axes of the instruction.
    LaneInstruction(const target::Core& target, isa::Opcode opcode, const Tile& shape);

    // Sets an operand of the instruction's shape.
    LaneInstruction& operand(isa::Role role, const Tile& tile);
    // Sets an operand of `elements` elements a partition in one axis, independent of the shape.
    LaneInstruction& fixed_operand(isa::Role role, const Tile& tile, std::uint32_t elements);
    // Sets an operand whose place and size the caller has checked against the shape.
    LaneInstruction& placed_operand(isa::Role role, const Tile& tile);

    LaneInstruction& rounding(isa::Rounding rounding);
    LaneInstruction& scalar(const Scalar& value, const isa::Field& field, const isa::Field& is_vector);
    // Sets a scalar whose tile may have any of the types.
    LaneInstruction& scalar(const Scalar& value, const isa::Field& field, const isa::Field& is_vector,
                            const isa::Field& dtype, std::span<const isa::Dtype> types);
    LaneInstruction& first(const AluStep& step);
    LaneInstruction& second(const AluStep& step);
    LaneInstruction& first(const AluOrder& order);
    LaneInstruction& second(const AluOrder& order);
    template <typename Value>
    LaneInstruction& set(const isa::Field& field, Value value) {
        instruction_.set(field, value);
        return *this;
    }

    // Says whether Vector and Scalar may both execute it.
    LaneInstruction& either(bool both);
    // Requires `least` to `most` elements a partition.
    LaneInstruction& require_elements(std::uint64_t least, std::uint64_t most);
    // Throws Error that names the instruction unless the rule holds.
    LaneInstruction& require(bool holds, std::string_view rule);

    // Requires that with bit operations every tensor is an integer of one width, that two sources are not
    // both in PSUM, and that dst overlaps no source in a way that leaves the result undefined.
    Step finish(isa::Engine engine, const After& after);

  private:
    struct Operand {
        Tile tile;
        const isa::Field* address;
        bool written;
    };

    LaneInstruction& column(const Tile& tile, const isa::Field& field, const isa::Field& is_vector,
                            std::span<const isa::Dtype> types);
    std::string_view name() const { return instruction_.info()->name; }

    target::Core target_;
    isa::Instruction instruction_;
    Tile shape_;
    std::vector<Operand> operands_, columns_;  // tensors, [partitions, 1] operands
    bool raw_ = false, either_ = false;
};

}  // namespace trnsim::builder
