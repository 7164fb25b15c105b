#include "testbench/functional/scalar_registers.hpp"

#include "isa/operands.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {

namespace field = isa::field;

namespace {

constexpr std::uint32_t RegisterBits = 32;

}  // namespace

void ScalarRegisters::set(std::uint64_t reg, std::uint32_t value) {
    if (reg != 0) values_[reg] = value;
}

isa::Instruction ScalarRegisters::effective(const isa::Instruction& instruction) const {
    isa::Instruction result = instruction;
    const isa::InstructionInfo* info = instruction.info();
    if (info == nullptr) return result;
    for (const isa::OperandInfo& operand : isa::operands_of(*info)) {
        const isa::OperandFields& fields = isa::fields_of(operand.role);
        const auto address = static_cast<std::uint32_t>(instruction.get(*fields.address));
        result.set(*fields.address, address + get(instruction, *fields.reg));
    }
    if (info->format == "register_memory")
        result.set(field::Address, instruction.get(field::Address) + get(instruction, field::RegA));
    return result;
}

void ScalarRegisters::calculate(const isa::Instruction& instruction) {
    const std::uint32_t x = get(instruction, field::RegA);
    const std::uint32_t y = instruction.get(field::UseImm) != 0
                                ? static_cast<std::uint32_t>(instruction.get(field::Data))
                                : get(instruction, field::RegB);
    const auto result = [&]() -> std::uint32_t {
        switch (static_cast<isa::RegOp>(instruction.get(field::RegOp))) {
            case isa::RegOp::Move:
                return y;
            case isa::RegOp::Add:
                return x + y;
            case isa::RegOp::Sub:
                return x - y;
            case isa::RegOp::Mul:
                return x * y;
            case isa::RegOp::And:
                return x & y;
            case isa::RegOp::Or:
                return x | y;
            case isa::RegOp::Xor:
                return x ^ y;
            case isa::RegOp::Shl:
                return y < RegisterBits ? x << y : 0;
            case isa::RegOp::Shr:
                return y < RegisterBits ? x >> y : 0;
        }
        throw Error("undefined register operation");
    };
    set(instruction.get(field::RegDst), result());
}

bool ScalarRegisters::taken(const isa::Instruction& instruction) const {
    const std::uint32_t x = get(instruction, field::RegA), y = get(instruction, field::RegB);
    switch (static_cast<isa::BranchCond>(instruction.get(field::Condition))) {
        case isa::BranchCond::Always:
            return true;
        case isa::BranchCond::Eq:
            return x == y;
        case isa::BranchCond::Ne:
            return x != y;
        case isa::BranchCond::Lt:
            return x < y;
        case isa::BranchCond::Ge:
            return x >= y;
    }
    throw Error("undefined branch condition");
}

bool is_scalar(isa::Opcode opcode) {
    return opcode == isa::Opcode::Branch || opcode == isa::Opcode::RegisterAlu;
}

}  // namespace trnsim::functional
