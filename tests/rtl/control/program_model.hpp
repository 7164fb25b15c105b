// A model of a sequencer with branches and scalar registers, one instruction at a time. It follows
// docs/sequencers.md and was written without looking at the RTL.
#pragma once

#include <array>
#include <cstdint>

#include "rtl/control/programs.hpp"

namespace trnsim::test {

class ProgramModel {
  public:
    ProgramModel() = default;
    explicit ProgramModel(Program program) : program_(std::move(program)) {}

    unsigned pc() const { return pc_; }
    bool past_the_end() const { return pc_ >= program_.size(); }
    // Returns the instruction at the head with registers added to its addresses.
    isa::Instruction effective() const;
    // Returns the word that a register_store at the head writes.
    std::uint32_t store_data() const { return reg(isa::field::RegB); }
    // Executes the head and goes to the next one; `loaded` is the word for a register_load.
    void advance(std::uint32_t loaded);

  private:
    std::uint32_t reg(const isa::Field& field) const { return registers_[program_[pc_].get(field)]; }

    Program program_;
    unsigned pc_ = 0;
    std::array<std::uint32_t, 16> registers_{};
};

}  // namespace trnsim::test
