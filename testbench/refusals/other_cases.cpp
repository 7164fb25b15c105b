// The sequencers refuse these instructions of their own, and the GpSimd engine its ones.
#include "arch/target/memory.hpp"
#include "testbench/refusals/writer.hpp"

namespace trnsim::refusals {

using isa::Engine;
using isa::Error;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

// Programs hold these instructions; no call of the builder gives them freely.
void add_control_cases(Writer& w) {
    const auto add = [&](const char* name, Error error, const Instruction& instruction) {
        w.add(name, Engine::Sync, error, instruction);
    };
    const auto branch = [](unsigned condition) {
        return Instruction(Opcode::Branch).set(field::Condition, condition).set(field::Target, 1);
    };
    add("a branch to the next instruction", Error::None, branch(0));
    add("a branch with an undefined condition", Error::UnsupportedOperand, branch(5));
    const auto last = isa::reg_op_values().back().value;
    add("the last register operation", Error::None, Instruction(Opcode::RegisterAlu).set(field::RegOp, last));
    add("an undefined register operation", Error::UnsupportedOperand,
        Instruction(Opcode::RegisterAlu).set(field::RegOp, last + 1u));
    for (const Opcode opcode : {Opcode::RegisterLoad, Opcode::RegisterStore}) {
        add("a register and a word of the core window", Error::None,
            Instruction(opcode).set(field::Address, 0x40));
        add("a register and no aligned word", Error::AddressAlign,
            Instruction(opcode).set(field::Address, 0x42));
        add("a register and a word beyond the core window", Error::AddressRange,
            Instruction(opcode).set(field::Address, isa::window::Size));
    }
}

void add_gpsimd_cases(Writer& w) {
    const std::uint32_t cores = target::gpsimd_cores(w.target);
    const auto add = [&](const char* name, Error error, const Instruction& instruction) {
        w.add(name, Engine::Gpsimd, error, instruction);
    };
    const auto words = [](unsigned first, unsigned count) {
        return Instruction(Opcode::GpsimdArguments).set(field::FirstWord, first).set(field::Words, count);
    };
    add("twelve words of arguments", Error::None, words(180, 12));
    add("no words of arguments", Error::UnsupportedOperand, words(0, 0));
    add("thirteen words of arguments", Error::UnsupportedOperand, words(0, 13));
    add("words beyond the arguments", Error::UnsupportedOperand, words(181, 12));
    add("a command for no core", Error::UnsupportedOperand, Instruction(Opcode::GpsimdCommand));
    if (cores < 8)
        add("a command for a core that is not there", Error::UnsupportedOperand,
            Instruction(Opcode::GpsimdCommand).set(field::CoreMask, 1u << cores));
    const auto start = [](std::uint32_t boot) {
        return Instruction(Opcode::GpsimdStart).set(field::CoreMask, 1).set(field::Boot, boot);
    };
    add("cores that start outside their memory", Error::AddressRange, start(0x80010000));
    add("cores that start at an odd address", Error::AddressAlign, start(0x80000002));
}

}  // namespace trnsim::refusals
