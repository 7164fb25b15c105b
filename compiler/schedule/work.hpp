// How long steps keep their engines, for the order in which they are issued. Cycles of the core clock.
#pragma once

#include <span>

#include "compiler/builder/step.hpp"

namespace trnsim::schedule {

struct Work {
    double busy = 0;     // until the engine takes the next step
    double latency = 0;  // until the results are there
};

// The step is no loop.
Work cycles(const builder::Step& step);

// Cycles that a load of activation tables takes.
constexpr double TableLoad = 3600;

}  // namespace trnsim::schedule
