// Execution of the Scalar engine's instructions; docs/instruction-semantics.md has the rules.
#pragma once

#include <span>
#include <vector>

#include "model/values/lanes.hpp"

namespace trnsim::fast {

class ScalarEngine {
  public:
    explicit ScalarEngine(std::size_t lanes);
    // Returns whether a NaN was written.
    bool execute(const Operation& operation, Memories& memories, bool stochastic);
    bool load_table_beat(std::span<const std::uint8_t> beat);

    checkpoint::TableState save_tables() const;
    void load_tables(const checkpoint::TableState& tables);

    LaneState state;
    isa::ActivationSet table_set = isa::ActivationSet::None;  // loaded last

  private:
    void activate(LaneRun& run);

    // The memories of the tables; beats fill them.
    std::vector<std::uint32_t> rows_, segments_, exponents_;
};

}  // namespace trnsim::fast
