// Platforms whose collectives were measured by others, with the figures that match them best:
// docs/collectives.md.
#pragma once

#include <span>
#include <string_view>

#include "compiler/collectives/estimate.hpp"
#include "compiler/collectives/topology.hpp"

namespace trnsim::collectives::test {

struct Calibration {
    std::string_view name;
    Cluster cluster;
    Timing timing;
};
std::span<const Calibration> calibrations();
// Throws Error for a name there is not.
const Calibration& find_calibration(std::string_view name);

}  // namespace trnsim::collectives::test
