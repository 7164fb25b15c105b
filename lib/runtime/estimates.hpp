// Estimated energy and area that belong to the figures of a run; docs/estimates.md.
#pragma once

#include "lib/estimates/area.hpp"
#include "lib/estimates/energy.hpp"
#include "lib/runtime/figures.hpp"

namespace trnsim::runtime {

struct Estimates {
    estimates::Energy energy;
    estimates::Area area;
};

Estimates estimate(const Figures& figures, const config::Config& config, const estimates::Tables& tables);

}  // namespace trnsim::runtime
