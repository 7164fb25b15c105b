// An instruction, checked and decoded.
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.hpp"
#include "model/values/functional_core.hpp"
#include "model/values/operand.hpp"

namespace trnsim::fast {

// A constant, or a [partitions,1] operand in its place.
struct Immediate {
    std::uint32_t word = 0;  // the constant's bits
    bool vector = false;
    Operand column{};
};

class Operation {
  public:
    isa::Engine engine;
    isa::Instruction instruction;
    isa::Opcode opcode;
    std::uint32_t partitions = 0;
    std::uint64_t elements = 1;  // a partition, of the shape
    bool has_dst = false, has_a = false, has_b = false;
    Operand dst, a, b;        // those there are
    Immediate imm0, imm1;     // of an activation scale and bias
    isa::AluOp op0{}, op1{};  // where the format has operations
    bool reverse0 = false, reverse1 = false;
    isa::ReduceCmd reduce_cmd{};
    isa::Rounding rounding{};

    bool raw_copy() const { return a.dtype == dst.dtype; }
};

// Decodes an instruction whose operands check_operands() has passed.
Operation decode(isa::Engine engine, const isa::Instruction& instruction, const Memories& memories);

// The shape's counts, and those of dst and b, whose number of elements some instructions fix.
Counts shape_of(const isa::Instruction& instruction);
Counts dst_counts(const isa::Instruction& instruction, std::uint32_t quadrant);
Counts b_counts(const isa::Instruction& instruction);
std::uint32_t dst_partitions(const isa::Instruction& instruction, std::uint32_t quadrant);

// Whether it reads operand b: tensor_copy_predicated may have a constant in its place.
bool takes_b(const isa::Instruction& instruction);

// Whether transpose_block turns one block smaller than quadrant x quadrant.
bool is_one_block(const isa::Instruction& instruction, std::uint32_t quadrant);

// Elements of a shape, or `limit` if there are more.
std::uint64_t elements_up_to(const Counts& counts, std::uint64_t limit);

// Fields of the operand that an instruction writes and of those that it reads.
enum class Role : std::uint8_t { Dst, A, B };
struct OperandFields {
    const isa::Field *address, *dtype;
    std::array<const isa::Field*, 4> step;
};
const OperandFields& fields_of(Role role);

// The [partitions,1] operand in place of an immediate, where the format has one.
struct ImmediateFields {
    const isa::Field *value, *flag, *dtype;  // no dtype: fp32
};
const ImmediateFields* immediate_fields(const isa::Instruction& instruction, unsigned index);

}  // namespace trnsim::fast
