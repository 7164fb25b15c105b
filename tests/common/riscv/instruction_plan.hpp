// The functional plan of the core: every instruction that it has, and in what configurations a vector
// instruction has been executed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace trnsim::test {

struct PlannedInstruction {
    std::string name;
    std::uint32_t mask = 0;
    std::uint32_t match = 0;
    // Of vector instructions: element widths that are legal (bit k: 8 << k), and whether there is a form with
    // a mask and one without.
    unsigned widths = 0;
    bool masked = false;
    bool unmasked = true;
    bool rare = false;                                                    // for the thorough plan alone
    std::array<std::array<std::array<std::uint64_t, 2>, 7>, 3> counts{};  // by SEW, LMUL (from 1/8), vm
    std::uint64_t count = 0;
};

class InstructionPlan {
  public:
    InstructionPlan();

    // An instruction has retired; `sew` in bits and `lmul` as Spike writes it (m1, mf2), both of vector
    // instructions only.
    void executed(std::uint32_t insn, unsigned sew, const std::string& lmul);

    // Instructions never executed; with `thorough` also legal widths and forms with or without a mask.
    std::vector<std::string> missing(bool thorough) const;
    // "390 instructions, 2,000 of 3,000 combinations with SEW, LMUL and mask"
    std::string summary() const;
    std::uint64_t total() const { return total_; }
    std::uint64_t unknown() const { return unknown_; }
    const std::vector<PlannedInstruction>& instructions() const { return instructions_; }

  private:
    std::vector<PlannedInstruction> instructions_;
    std::uint64_t total_ = 0;
    std::uint64_t unknown_ = 0;
};

}  // namespace trnsim::test
