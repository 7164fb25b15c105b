#include "model/core/fast/scalar_registers.hpp"

#include "isa/operands.hpp"

namespace trnsim::tlm::core_fast {

namespace field = isa::field;

InstructionBytes ScalarRegisters::with_addresses(const InstructionBytes& bytes) const {
    InstructionBytes result = bytes;
    const isa::Opcode opcode = opcode_of(bytes);
    if (uses_window(opcode)) {
        const std::uint64_t address = get(bytes, field::Address) + value_[get(bytes, field::RegA)];
        std::memcpy(result.data() + field::Address.offset / 8U, &address, sizeof(address));
        return result;
    }
    const isa::InstructionInfo* info = isa::find_instruction(opcode);
    if (info == nullptr || is_control(opcode)) return result;
    for (const isa::OperandInfo& operand : isa::operands_of(*info)) {
        const isa::OperandFields& fields = isa::fields_of(operand.role);
        const std::uint64_t index = get(bytes, *fields.reg);
        if (index != 0) put32(result, *fields.address, get32(bytes, *fields.address) + value_[index]);
    }
    return result;
}

std::uint32_t ScalarRegisters::store_data(const InstructionBytes& bytes) const {
    return value_[get(bytes, field::RegB)];
}

bool ScalarRegisters::taken(const InstructionBytes& branch) const {
    const std::uint32_t a = value_[get(branch, field::RegA)], b = value_[get(branch, field::RegB)];
    switch (get_as<isa::BranchCond>(branch, field::Condition)) {
        case isa::BranchCond::Always:
            return true;
        case isa::BranchCond::Eq:
            return a == b;
        case isa::BranchCond::Ne:
            return a != b;
        case isa::BranchCond::Lt:
            return a < b;
        case isa::BranchCond::Ge:
            break;
    }
    return a >= b;
}

void ScalarRegisters::operate(const InstructionBytes& bytes) {
    constexpr std::uint32_t Bits = 32;
    const std::uint32_t a = value_[get(bytes, field::RegA)];
    const std::uint32_t y =
        get(bytes, field::UseImm) != 0 ? get32(bytes, field::Data) : value_[get(bytes, field::RegB)];
    switch (get_as<isa::RegOp>(bytes, field::RegOp)) {
        case isa::RegOp::Add:
            set(bytes, a + y);
            break;
        case isa::RegOp::Sub:
            set(bytes, a - y);
            break;
        case isa::RegOp::Mul:
            set(bytes, a * y);
            break;
        case isa::RegOp::And:
            set(bytes, a & y);
            break;
        case isa::RegOp::Or:
            set(bytes, a | y);
            break;
        case isa::RegOp::Xor:
            set(bytes, a ^ y);
            break;
        case isa::RegOp::Shl:
            set(bytes, y < Bits ? a << y : 0);
            break;
        case isa::RegOp::Shr:
            set(bytes, y < Bits ? a >> y : 0);
            break;
        case isa::RegOp::Move:
            set(bytes, y);
            break;
    }
}

void ScalarRegisters::load(const InstructionBytes& bytes, std::uint32_t data) {
    set(bytes, data);
}

void ScalarRegisters::set(const InstructionBytes& bytes, std::uint32_t value) {
    const std::uint64_t index = get(bytes, field::RegDst);
    if (index != 0) value_[index] = value;
}

}  // namespace trnsim::tlm::core_fast
