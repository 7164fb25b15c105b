// The functional plan of the core: every instruction that it has, and the configurations in which a vector
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
    // Vector instructions: the legal element widths (bit k: 8 << k), and whether there is a form with a mask
    // and one without.
    unsigned widths = 0;
    bool masked = false;
    bool unmasked = true;
    bool rare = false;                                                    // only for the thorough plan
    std::array<std::array<std::array<std::uint64_t, 2>, 7>, 3> counts{};  // [SEW][LMUL, from 1/8][vm]
    std::uint64_t count = 0;
};

class InstructionPlan {
  public:
    InstructionPlan();

    // Notes that an instruction has retired. `sew` (bits) and `lmul` (m1, mf2, as Spike writes it) are used
    // for vector instructions only.
    void executed(std::uint32_t insn, unsigned sew, const std::string& lmul);

    // Returns the instructions that were never executed; with `thorough` also missing widths and forms with
    // or without a mask.
    std::vector<std::string> missing(bool thorough) const;
    // Returns a text such as "390 instructions, 2,000 of 3,000 combinations with SEW, LMUL and mask".
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
