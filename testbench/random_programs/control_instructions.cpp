#include "testbench/random_programs/control_instructions.hpp"

namespace trnsim::random_programs {

using isa::Instruction;
using isa::Opcode;
using isa::UpdateMode;
using isa::WaitMode;
namespace field = isa::field;

Instruction halt() {
    return Instruction(Opcode::Halt);
}

Instruction wait_for(Instruction instruction, unsigned semaphore, WaitMode mode, std::uint32_t value) {
    return instruction.set(field::WaitSem, semaphore).set(field::WaitMode, mode).set(field::WaitValue, value);
}

Instruction then_update(Instruction instruction, unsigned semaphore, UpdateMode mode, unsigned value) {
    return instruction.set(field::UpdateSem, semaphore)
        .set(field::UpdateMode, mode)
        .set(field::UpdateValue, value);
}

Instruction alu(isa::RegOp op, unsigned dst, unsigned a, unsigned b) {
    return Instruction(Opcode::RegisterAlu)
        .set(field::RegOp, op)
        .set(field::RegDst, dst)
        .set(field::RegA, a)
        .set(field::RegB, b);
}

Instruction alu_immediate(isa::RegOp op, unsigned dst, unsigned a, std::uint32_t value) {
    return alu(op, dst, a, 0).set(field::UseImm, 1).set(field::Data, value);
}

Instruction move_immediate(unsigned dst, std::uint32_t value) {
    return alu_immediate(isa::RegOp::Move, dst, 0, value);
}

Instruction branch(unsigned target, isa::BranchCond condition, unsigned a, unsigned b) {
    return Instruction(Opcode::Branch)
        .set(field::Target, target)
        .set(field::Condition, condition)
        .set(field::RegA, a)
        .set(field::RegB, b);
}

Instruction load_register(unsigned dst, std::uint64_t address, unsigned a) {
    return Instruction(Opcode::RegisterLoad)
        .set(field::RegDst, dst)
        .set(field::RegA, a)
        .set(field::Address, address);
}

Instruction store_register(unsigned b, std::uint64_t address, unsigned a) {
    return Instruction(Opcode::RegisterStore)
        .set(field::RegB, b)
        .set(field::RegA, a)
        .set(field::Address, address);
}

}  // namespace trnsim::random_programs
