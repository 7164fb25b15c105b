#include "compiler/collectives/calibrations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/collectives/error.hpp"

namespace trnsim::collectives::test {
namespace {

constexpr double Micro = 1e-6, Giga = 1e9;

// All platforms share these figures, except for those in a column of the table.
constexpr double Step = 2.6 * Micro, Hop = 0.2 * Micro, NetworkLatency = 15 * Micro;
constexpr double ChipLink = 33 * Giga;
constexpr double Engines = 435 * Giga, Memory = 410 * Giga;  // bytes/s of a core, published
constexpr double NoLink = 1;                                 // clusters of one server have no network

constexpr Timing timing(double floor, double core_link, double network) {
    return {floor, Step, Hop, NetworkLatency, {ChipLink, core_link, network}, Engines, Memory};
}

constexpr Cluster Server{1, 4, 4, 2}, TwoServers{2, 4, 4, 2};

constexpr std::array Table{
    Calibration{"nccom-test, 2 ranks", Server, timing(53 * Micro, 85 * Giga, NoLink)},
    Calibration{"nccom-test, 16 ranks", Server, timing(550 * Micro, Memory, NoLink)},
    Calibration{"nccom-test, 64 ranks", TwoServers, timing(1100 * Micro, Memory, 43.5 * Giga)},
    Calibration{"third party", Server, timing(0, Memory, NoLink)},
    Calibration{"2 ranks over EFA", TwoServers, timing(0, Memory, 7.8 * Giga)},
};

}  // namespace

std::span<const Calibration> calibrations() {
    return Table;
}

const Calibration& find_calibration(std::string_view name) {
    const auto row = std::ranges::find(Table, name, &Calibration::name);
    if (row == Table.end()) throw Error(fmt::format("calibration: found no '{}'", name));
    return *row;
}

}  // namespace trnsim::collectives::test
