// State that an engine keeps from one step to the next, beside its operands.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/builder/step.hpp"

namespace trnsim::schedule {

enum class State : std::uint8_t { Weights, ScalarSums, VectorSums, Random, ShuffleMask, GpsimdMemory };
constexpr std::size_t StateCount = 6;

struct StateUse {
    State state;
    bool changes;  // false: it is only read
};

// Returns the state that the step uses; nothing if it uses none. Activation tables are no state of this kind:
// any step may load them (tables.hpp).
std::optional<StateUse> state_of(const builder::Step& step);

// Returns whether the step holds up all later steps of its engine.
bool is_fence(const builder::Step& step);

}  // namespace trnsim::schedule
