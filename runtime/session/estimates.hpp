// Estimated energy and area for the figures of a run; docs/estimates.md.
#pragma once

#include "model/estimates/area.hpp"
#include "model/estimates/energy.hpp"
#include "runtime/session/figures.hpp"
#include "runtime/session/result.hpp"

namespace trnsim::runtime {

struct Estimates {
    estimates::Energy energy;
    estimates::Area area;
};

Estimates estimate(const Figures& figures, const config::Config& config, const estimates::Tables& tables);

// Estimates the energy of all ranks of a server that are in this process, without that of its links. The
// figures of a rank have the traffic of its chip's HBM, which counts once for each chip.
estimates::Energy energy_of_ranks(const Results& results, const config::Config& config,
                                  const estimates::Tables& tables);

}  // namespace trnsim::runtime
