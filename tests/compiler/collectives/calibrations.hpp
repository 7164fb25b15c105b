// The figures of the estimates for the platforms of compiler/collectives/published_points.hpp; see
// docs/collectives.md.
#pragma once

#include <string_view>

#include "compiler/collectives/estimate.hpp"
#include "compiler/collectives/topology.hpp"

namespace trnsim::collectives::test {

struct Calibration {
    Cluster cluster;
    Timing timing;
};
// Throws Error for an unknown platform.
Calibration find_calibration(std::string_view name);

}  // namespace trnsim::collectives::test
