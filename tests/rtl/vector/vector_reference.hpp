// The reference interpreter beside a bench: the same memory areas, the same instructions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/instruction.hpp"
#include "testbench/functional/core_memory.hpp"
#include "testbench/functional/lane_state.hpp"
#include "tests/rtl/vector/memories.hpp"

namespace trnsim::test {

class Reference {
  public:
    // Instructions may touch these areas.
    explicit Reference(std::vector<Area> areas);

    void load(const Memories& memories);
    void set_rounding(bool stochastic, std::uint32_t seed);
    void execute(const isa::Instruction& instruction);

    // Describes the first place where memories differ from the areas; nothing if they do not.
    std::optional<std::string> difference(const Memories& memories) const;

    // Describes a word outside the areas that is not 0; nothing if there is none.
    std::optional<std::string> first_stray(const Memories& memories) const;

  private:
    std::vector<Area> areas_;
    functional::CoreMemory memory_;
    functional::LaneState state_;
};

}  // namespace trnsim::test
