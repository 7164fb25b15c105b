#include "tools/sweep/metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/numbers/numbers.hpp"
#include "base/time/time.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::sweep {
namespace {

using runtime::Estimates;
using runtime::Figures;

constexpr double Unknown = std::numeric_limits<double>::quiet_NaN();

double seconds(const Figures& figures) {
    return static_cast<double>(figures.time) / FsPerSecond;
}
double macs(const Figures& figures) {
    return static_cast<double>(figures.matmul.macs);
}
double hbm_bytes(const Figures& figures) {
    double bytes = 0;
    for (const tlm::Traffic& stack : figures.hbm)
        bytes += static_cast<double>(stack.bytes_read) + static_cast<double>(stack.bytes_written);
    return bytes;
}
double busiest_dma(const Figures& figures) {
    double most = 0;
    for (std::size_t e = 0; e < figures.dma.size(); ++e) most = std::max(most, figures.dma_utilisation(e));
    return most;
}
double completed(const Figures& figures) {
    double count = 0;
    for (const tlm::EngineStatistics& engine : figures.engine) count += static_cast<double>(engine.completed);
    return count;
}
template <isa::Engine Which>
double busy(const Figures& figures) {
    return figures.engine_utilisation(static_cast<std::size_t>(Which));
}

constexpr std::array Metrics{
    Metric{"cycles", "", "core cycles from the first engine's start to the end", -1,
           [](const Figures& f) { return static_cast<double>(f.cycles); }},
    Metric{"time", "s", "simulated time of the same span", -1, seconds},
    Metric{"macs", "", "multiply-accumulates of the Tensor engine", 0, macs},
    Metric{"macs_per_cycle", "", "macs / cycles", 1,
           [](const Figures& f) { return ratio(macs(f), static_cast<double>(f.cycles)); }},
    Metric{"macs_per_second", "1/s", "macs / time", 1,
           [](const Figures& f) { return ratio(macs(f), seconds(f)); }},
    Metric{"matmul_utilisation", "", "ideal cycles of the matmuls / cycles from the first to the last", 1,
           [](const Figures& f) { return f.tensor_utilisation(); }},
    Metric{"tensor_busy", "", "share of the cycles with the Tensor engine at work", 1,
           busy<isa::Engine::Tensor>},
    Metric{"vector_busy", "", "same of the Vector engine", 0, busy<isa::Engine::Vector>},
    Metric{"scalar_busy", "", "same of the Scalar engine", 0, busy<isa::Engine::Scalar>},
    Metric{"dma_busy", "", "share of the time with a packet at work in the busiest DMA engine", 0,
           busiest_dma},
    Metric{"dma_bytes", "B", "written by all DMA engines", -1,
           [](const Figures& f) { return static_cast<double>(f.dma_bytes()); }},
    Metric{"hbm_bytes", "B", "read from and written to HBM", -1, hbm_bytes},
    Metric{"hbm_rate", "B/s", "hbm_bytes / time", 0,
           [](const Figures& f) { return ratio(hbm_bytes(f), seconds(f)); }},
    Metric{"link_bytes", "B", "data sent over all links of a server", -1,
           [](const ServerFigures& s) { return s.bytes; }},
    Metric{"link_busy", "", "share of the time that the busiest link of a server is occupied, each way alone",
           0, [](const ServerFigures& s) { return s.busy; }},
    Metric{"ranks", "", "ranks of a server that run the kernel", 0,
           [](const ServerFigures& s) { return s.ranks; }},
    Metric{"macs_of_ranks", "", "multiply-accumulates of all ranks of a server", 0,
           [](const ServerFigures& s) { return s.macs; }},
    Metric{"instructions", "", "completed by all engines", 0, completed},
    Metric{"energy", "J", "of the run, of all ranks of a server (estimate)", -1,
           [](const Estimates& e) { return e.energy.joules; }},
    Metric{"average_power", "W", "energy / time (estimate)", -1,
           [](const Estimates& e) { return e.energy.average_watts; }},
    Metric{
        "energy_per_mac", "J", "energy / macs, of kernels that have some (estimate)", -1,
        [](const Estimates& e) { return e.energy.joules_per_mac > 0 ? e.energy.joules_per_mac : Unknown; }},
    Metric{"area", "mm2", "of the core: logic and SRAM (estimate)", -1,
           [](const Estimates& e) { return e.area.mm2(); }},
    Metric{"gates", "", "of the core's logic, two-input NANDs (estimate)", -1,
           [](const Estimates& e) { return e.area.gates; }},
    Metric{"sram_bits", "", "of the core (estimate)", -1,
           [](const Estimates& e) { return e.area.sram_bits; }},
};

}  // namespace

std::optional<double> Metric::value(const Figures& figures, const Estimates& estimates,
                                    const std::optional<ServerFigures>& server) const {
    double value = Unknown;
    if (const auto* figure = std::get_if<double (*)(const Figures&)>(&of)) value = (*figure)(figures);
    if (const auto* estimate = std::get_if<double (*)(const Estimates&)>(&of)) value = (*estimate)(estimates);
    if (const auto* figure = std::get_if<double (*)(const ServerFigures&)>(&of); figure && server)
        value = (*figure)(*server);
    return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::span<const Metric> metrics() {
    return Metrics;
}

const Metric& find_metric(std::string_view name) {
    return *std::ranges::find(Metrics, name, &Metric::name);
}

std::vector<std::string> metric_names() {
    std::vector<std::string> names;
    names.reserve(std::size(Metrics));
    for (const Metric& metric : Metrics) names.emplace_back(metric.name);
    return names;
}

std::vector<std::string> default_metrics(bool server) {
    std::vector<std::string> names{"cycles",      "time",     "macs_per_cycle",
                                   "tensor_busy", "dma_busy", "hbm_bytes"};
    if (server) names.insert(names.end(), {"link_bytes", "link_busy"});
    return names;
}

}  // namespace trnsim::sweep
