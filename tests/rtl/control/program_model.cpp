#include "rtl/control/program_model.hpp"

#include <gtest/gtest.h>

namespace trnsim::test {

using isa::BranchCond;
using isa::Instruction;
using isa::Opcode;
using isa::RegOp;
namespace field = isa::field;

namespace {

std::uint32_t calculate(RegOp op, std::uint32_t x, std::uint32_t y) {
    switch (op) {
        case RegOp::Move:
            return y;
        case RegOp::Add:
            return x + y;
        case RegOp::Sub:
            return x - y;
        case RegOp::Mul:
            return x * y;
        case RegOp::And:
            return x & y;
        case RegOp::Or:
            return x | y;
        case RegOp::Xor:
            return x ^ y;
        case RegOp::Shl:
            return static_cast<std::uint32_t>(y > 31 ? 0 : std::uint64_t{x} << y);
        case RegOp::Shr:
            return y > 31 ? 0 : x >> y;
    }
    ADD_FAILURE() << "no operation";
    return 0;
}

bool holds(BranchCond condition, std::uint32_t x, std::uint32_t y) {
    switch (condition) {
        case BranchCond::Always:
            return true;
        case BranchCond::Eq:
            return x == y;
        case BranchCond::Ne:
            return x != y;
        case BranchCond::Lt:
            return x < y;
        case BranchCond::Ge:
            return x >= y;
    }
    ADD_FAILURE() << "no condition";
    return false;
}

}  // namespace

Instruction ProgramModel::effective() const {
    Instruction instruction = program_[pc_];
    const auto add = [&](const isa::Field& address, const isa::Field& index, std::uint64_t mask) {
        instruction.set(address, (instruction.get(address) + reg(index)) & mask);
    };
    const isa::InstructionInfo* info = instruction.info();
    if (info == nullptr) return instruction;
    if (uses_window(instruction)) add(field::Address, field::RegA, ~std::uint64_t{0});
    if (info->uses_dst) add(field::DstAddr, field::DstReg, 0xffffffff);
    if (info->uses_a) add(field::AAddr, field::AReg, 0xffffffff);
    if (info->uses_b) add(field::BAddr, field::BReg, 0xffffffff);
    return instruction;
}

void ProgramModel::advance(std::uint32_t loaded) {
    const Instruction& instruction = program_[pc_];
    unsigned next = pc_ + 1;
    switch (instruction.opcode()) {
        case Opcode::Branch:
            if (holds(static_cast<BranchCond>(instruction.get(field::Condition)), reg(field::RegA),
                      reg(field::RegB)))
                next = static_cast<unsigned>(instruction.get(field::Target));
            break;
        case Opcode::RegisterAlu: {
            const std::uint32_t operand = instruction.get(field::UseImm) != 0
                                              ? static_cast<std::uint32_t>(instruction.get(field::Data))
                                              : reg(field::RegB);
            registers_[instruction.get(field::RegDst)] =
                calculate(static_cast<RegOp>(instruction.get(field::RegOp)), reg(field::RegA), operand);
            break;
        }
        case Opcode::RegisterLoad:
            registers_[instruction.get(field::RegDst)] = loaded;
            break;
        default:
            break;
    }
    registers_[0] = 0;
    pc_ = next;
}

}  // namespace trnsim::test
