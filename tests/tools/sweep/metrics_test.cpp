#include "tools/sweep/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace trnsim::sweep {
namespace {

TEST(Metrics, TakeFiguresOrEstimates) {
    runtime::Figures figures;
    figures.cycles = 1200;
    runtime::Estimates estimates;
    estimates.energy.joules = 3e-6;
    estimates.energy.average_watts = 2.5;
    estimates.energy.joules_per_mac = 1e-12;
    estimates.area.logic_mm2 = 2;
    estimates.area.sram_mm2 = 5;
    estimates.area.gates = 1e6;
    estimates.area.sram_bits = 8e6;
    const std::pair<const char*, double> expected[] = {
        {"cycles", 1200}, {"energy", 3e-6}, {"average_power", 2.5}, {"energy_per_mac", 1e-12},
        {"area", 7},      {"gates", 1e6},   {"sram_bits", 8e6}};
    for (const auto& [name, value] : expected)
        EXPECT_EQ(find_metric(name).value(figures, estimates), value) << name;
}

TEST(Metrics, NoEnergyAMacWithoutMacs) {
    runtime::Estimates estimates;
    estimates.energy.joules = 3e-6;
    EXPECT_EQ(find_metric("energy_per_mac").value({}, estimates), std::nullopt);
}

TEST(Metrics, LinksWhereThereIsAServer) {
    const Metric& bytes = find_metric("link_bytes");
    EXPECT_EQ(bytes.value({}, {}), std::nullopt);
    EXPECT_EQ(bytes.value({}, {}, ServerFigures{512, 0.25}), 512);
    EXPECT_EQ(find_metric("link_busy").value({}, {}, ServerFigures{512, 0.25}), 0.25);
    EXPECT_EQ(find_metric("ranks").value({}, {}, ServerFigures{.ranks = 4}), 4);
    EXPECT_EQ(find_metric("macs_of_ranks").value({}, {}, ServerFigures{.macs = 9}), 9);
}

TEST(Metrics, EstimatesAreCalledSo) {
    for (const Metric& metric : metrics()) {
        const bool estimate = std::holds_alternative<double (*)(const runtime::Estimates&)>(metric.of);
        EXPECT_EQ(metric.doc.find("(estimate)") != std::string_view::npos, estimate) << metric.name;
    }
}

}  // namespace
}  // namespace trnsim::sweep
