// The checks of the GpSimd engine; the image that runs a command checks its arguments.
#include "arch/target/memory.hpp"
#include "firmware/include/trnsim/mailbox.hpp"
#include "testbench/functional/refusal.hpp"

namespace trnsim::functional {

namespace field = isa::field;

Refusal refusal_by_gpsimd(const isa::Instruction& instruction, const target::Core& target) {
    constexpr std::uint64_t MostWords = 12;  // of an instruction
    if (instruction.opcode() == isa::Opcode::GpsimdArguments) {
        const std::uint64_t words = instruction.get(field::Words);
        const bool fits = words >= 1 && words <= MostWords &&
                          instruction.get(field::FirstWord) + words <= firmware::ArgumentWords;
        if (fits) return {};
        return {isa::Error::UnsupportedOperand, 0, "no words, or more than an instruction or a mailbox has"};
    }
    const std::uint64_t mask = instruction.get(field::CoreMask);
    if (mask == 0 || mask >> target::gpsimd_cores(target) != 0)
        return {isa::Error::UnsupportedOperand, 0,
                "core_mask names no GpSimd core, or one that is not there"};
    if (instruction.opcode() != isa::Opcode::GpsimdStart) return {};
    const std::uint64_t boot = instruction.get(field::Boot);
    if (boot < TRNSIM_TCM_BASE || boot - TRNSIM_TCM_BASE >= TRNSIM_TCM_BYTES)
        return {isa::Error::AddressRange, 0, "boot is outside the memory of a GpSimd core"};
    if (boot % 4 != 0) return {isa::Error::AddressAlign, 0, "boot is no multiple of 4"};
    return {};
}

}  // namespace trnsim::functional
