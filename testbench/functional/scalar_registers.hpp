// The scalar registers of a sequencer; see docs/sequencers.md.
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.hpp"

namespace trnsim::functional {

class ScalarRegisters {
  public:
    std::uint32_t get(const isa::Instruction& instruction, const isa::Field& reg) const {
        return values_[instruction.get(reg)];
    }
    void set(std::uint64_t reg, std::uint32_t value);

    // Returns the instruction with registers added to its addresses.
    isa::Instruction effective(const isa::Instruction& instruction) const;
    // Executes register_alu.
    void calculate(const isa::Instruction& instruction);
    // Returns whether the branch is taken.
    bool taken(const isa::Instruction& instruction) const;

  private:
    std::array<std::uint32_t, 16> values_{};
};

// True for branch and register_alu: they use nothing but the sequencer and do not wait for its engine.
bool is_scalar(isa::Opcode opcode);

}  // namespace trnsim::functional
