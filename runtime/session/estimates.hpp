// Estimated energy and area for the figures of a run; docs/estimates.md.
#pragma once

#include "model/estimates/area.hpp"
#include "model/estimates/energy.hpp"
#include "runtime/session/figures.hpp"

namespace trnsim::runtime {

struct Estimates {
    estimates::Energy energy;
    estimates::Area area;
};

Estimates estimate(const Figures& figures, const config::Config& config, const estimates::Tables& tables);

}  // namespace trnsim::runtime
