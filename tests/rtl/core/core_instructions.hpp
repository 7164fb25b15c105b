// Small instructions of the data paths, and programs of one engine that run to the end.
#pragma once

#include "tests/rtl/core/core_program.hpp"

namespace trnsim::test {

constexpr std::uint32_t OperandSize = 8;  // rows and columns of matmuls; partitions of copies
constexpr std::uint64_t ProgramBase = 0x4000;

inline isa::Instruction with_shape(isa::Opcode opcode, std::uint32_t elements) {
    namespace field = isa::field;
    isa::Instruction i(opcode);
    i.set(field::Count0, elements).set(field::Count1, 1).set(field::Count2, 1).set(field::Count3, 1);
    return i.set(field::ADtype, isa::Dtype::Bf16).set(field::AStep0, 1).set(field::Partitions, OperandSize);
}

inline isa::Instruction load(std::uint32_t at) {
    return with_shape(isa::Opcode::LoadStationary, OperandSize).set(isa::field::AAddr, sbuf(0, at));
}

// Returns a matmul that squares the operand's first elements.
inline isa::Instruction matmul(std::uint32_t to, bool accumulate) {
    namespace field = isa::field;
    isa::Instruction i = with_shape(isa::Opcode::MultiplyMoving, OperandSize);
    i.set(field::AAddr, sbuf(0, 0)).set(field::DstDtype, isa::Dtype::Fp32).set(field::DstStep0, 1);
    return i.set(field::DstAddr, psum(0, to))
        .set(field::Columns, OperandSize)
        .set(field::Accumulate, accumulate);
}

inline isa::Instruction copy(std::uint32_t from, std::uint32_t to, std::uint32_t elements,
                             isa::Dtype type = isa::Dtype::Fp32) {
    namespace field = isa::field;
    isa::Instruction i = with_shape(isa::Opcode::TensorCopy, elements);
    i.set(field::ADtype, isa::Dtype::Fp32).set(field::AAddr, from);
    return i.set(field::DstDtype, type).set(field::DstStep0, 1).set(field::DstAddr, to);
}

inline isa::Instruction nop() {
    return isa::Instruction(isa::Opcode::Nop);
}

inline void run(CoreProgram& on, int engine, const Program& program) {
    on.core.memory->load(ProgramBase, program);
    on.start(engine, ProgramBase, static_cast<std::uint32_t>(program.size()));
    ASSERT_TRUE(on.finish());
}

// Does the same with the program at `pc`, which a branch reaches.
inline void run_far(CoreProgram& on, int engine, std::uint32_t pc, const Program& program) {
    const std::uint64_t base = on.address(pc + program.size());
    on.core.memory->load(base, {branch(pc)});
    on.core.memory->load(base + std::uint64_t{pc} * isa::InstructionBytes, program);
    on.start(engine, base, pc + static_cast<std::uint32_t>(program.size()));
    ASSERT_TRUE(on.finish());
}

}  // namespace trnsim::test
