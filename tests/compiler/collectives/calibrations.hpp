// Platforms on which others have measured collectives, with the figures that match the measurements best; see
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
// Throws Error for an unknown name.
const Calibration& find_calibration(std::string_view name);

}  // namespace trnsim::collectives::test
