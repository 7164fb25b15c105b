#include "compiler/collectives/calibrations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/collectives/error.hpp"
#include "compiler/collectives/published_points.hpp"

namespace trnsim::collectives::test {
namespace {

constexpr double Micro = 1e-6, Giga = 1e9;

// The stages are those of the simulation: a doorbell, the start of a DMA engine, the transfer and its flag; a
// hop is a link between chips, each way. Links have the rates of configs/servers/trn1.32xlarge.yaml: 17 flits
// carry 512 bytes, and one comes back.
constexpr double Step = 1.44 * Micro, Hop = 0.36 * Micro, NetworkLatency = 15 * Micro;
constexpr double ChipLink = 16 * 2.2 * Giga * 512 / (18 * 32), CoreLink = 59 * Giga;
constexpr double Engines = 290 * Giga, Memory = 410 * Giga;  // bytes/s of a core
constexpr double NoNetwork = 1;                              // clusters of one server

// Platforms with the bandwidth of their network, a server's each way.
struct Network {
    std::string_view platform;
    double bandwidth;
};
constexpr std::array Networks{Network{"nccom-test, 64 ranks", 43.5 * Giga},
                              Network{"2 ranks over EFA", 7.8 * Giga}};

}  // namespace

Calibration find_calibration(std::string_view name) {
    const auto* const platform = std::ranges::find(Platforms, name, &Platform::name);
    if (platform == Platforms.end()) throw Error(fmt::format("calibration: found no '{}'", name));
    const auto* const network = std::ranges::find(Networks, name, &Network::platform);
    const double between = network == Networks.end() ? NoNetwork : network->bandwidth;
    return {
        {platform->servers, 4, 4, 2},
        {platform->floor * Micro, Step, Hop, NetworkLatency, {ChipLink, CoreLink, between}, Engines, Memory}};
}

}  // namespace trnsim::collectives::test
