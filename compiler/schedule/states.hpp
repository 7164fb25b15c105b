// Things that lie in an engine from one step to the next, beside its operands.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/builder/step.hpp"

namespace trnsim::schedule {

enum class State : std::uint8_t { Weights, ScalarSums, VectorSums, Random, ShuffleMask, GpsimdMemory };
constexpr std::size_t StateCount = 6;

struct StateUse {
    State state;
    bool changes;  // else it is read only
};

// None: the step needs nothing that others leave there. Activation tables are no state of this kind: any step may load
// them (tables.hpp).
std::optional<StateUse> state_of(const builder::Step& step);

// Whether it holds up everything behind it on its engine.
bool is_fence(const builder::Step& step);

}  // namespace trnsim::schedule
