#include "runtime/session/report.hpp"

#include <fmt/format.h>

#include <array>

#include "arch/target/memory.hpp"
#include "base/time/time.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/disassembler.hpp"
#include "runtime/session/estimates.hpp"
#include "runtime/session/outcome_name.hpp"

namespace trnsim::runtime {
namespace {

std::string line(std::string_view name, const std::string& value) {
    return fmt::format("  {:<18} {}\n", name, value);
}

// Returns the value in the largest unit in which it is at least 1; the units are a thousand apart. A smaller
// value is in the last unit.
template <std::size_t N>
std::string format_scaled(double value, double largest, const std::array<const char*, N>& units) {
    constexpr double Step = 1e3;
    std::size_t unit = 0;
    for (; unit + 1 < N && value < largest; ++unit) largest /= Step;
    return fmt::format("{:.3f} {}", value / largest, units[unit]);
}

std::string format_time(std::uint64_t fs) {
    if (fs < 1'000'000) return fmt::format("{} fs", fs);
    return format_scaled(static_cast<double>(fs), FsPerSecond, std::array{"s", "ms", "us", "ns"});
}

}  // namespace

std::string format_energy(const estimates::Energy& energy) {
    std::string text = format_scaled(energy.joules, 1.0, std::array{"J", "mJ", "uJ", "nJ"}) +
                       fmt::format(", {:.3f} W on average", energy.average_watts);
    if (energy.joules_per_mac > 0) text += fmt::format(", {:.2f} pJ a MAC", energy.joules_per_mac * 1e12);
    return text + " (estimate)";
}

std::string first_nan(const Figures& figures, const neff::Package& package) {
    const tlm::NumericError& numeric = figures.numeric;
    if (numeric.engines == 0) return "";
    const std::string line = neff::source_line(package, numeric.engine, numeric.pc);
    return fmt::format("{} instruction {} [{}]{}", name_of(static_cast<isa::Engine>(numeric.engine)),
                       numeric.pc, describe(package, numeric.engine, numeric.pc),
                       line.empty() ? "" : " at " + line);
}

std::string checkpoint_summary(const std::optional<std::uint64_t>& resumed,
                               const std::optional<CheckpointTimes>& checkpoint) {
    std::string text;
    if (resumed) text += line("resumed", fmt::format("at {}", format_time(*resumed)));
    if (checkpoint)
        text +=
            line("checkpoint", fmt::format("at {}, after a drain of {}", format_time(checkpoint->quiescent),
                                           format_time(checkpoint->drain())));
    return text;
}

std::string summary(const Result& result, const neff::Package& package, const config::Config& config,
                    const estimates::Tables& tables, const std::string& verdict) {
    const Figures& figures = result.figures;
    std::string text = fmt::format("{} on {}: {}\n", package.name, config.name,
                                   verdict.empty() ? std::string(name_of(result.outcome)) : verdict);
    text += line("simulated time",
                 fmt::format("{}, from {} to {}", format_time(figures.time), format_time(figures.start),
                             format_time(figures.start + figures.time)));
    text += checkpoint_summary(result.resumed, result.checkpoint);
    text += line("cycles", fmt::format("{} ({} evaluated)", figures.cycles, figures.evaluated_cycles));
    for (std::size_t e = 0; e < figures.engine.size(); ++e) {
        if (package.programs[e].empty()) continue;
        text += line(fmt::format("{} engine", name_of(static_cast<isa::Engine>(e))),
                     fmt::format("{:5.1f} % busy, {} instructions", 100 * figures.engine_utilisation(e),
                                 figures.engine[e].completed));
    }
    if (figures.matmul.instructions != 0) {
        text += line("matmul", fmt::format("{:5.1f} % of peak from first to last, {:.3f} million MACs",
                                           100 * figures.tensor_utilisation(),
                                           static_cast<double>(figures.matmul.macs) / 1e6));
    }
    if (!figures.dma.empty()) {
        double busiest = 0;
        for (std::size_t e = 0; e < figures.dma.size(); ++e)
            busiest = std::max(busiest, figures.dma_utilisation(e));
        text += line("DMA", fmt::format("{:5.1f} % busy (busiest engine), {} bytes", 100 * busiest,
                                        figures.dma_bytes()));
    }
    if (const std::string first = first_nan(figures, package); !first.empty())
        text += line("numeric error", "completed with numeric error: NaN written, first by " + first);
    if (result.notifications) {
        text +=
            line("notifications", fmt::format("{} records, {} events dropped", result.notifications->records,
                                              result.notifications->dropped));
    }
    text += line("energy", format_energy(estimate(figures, config, tables).energy));
    text += line("rounding",
                 fmt::format("{}, seed {}", result.rounding.stochastic ? "stochastic" : "nearest even",
                             result.rounding.seed));
    if (result.perturb) text += line("perturbed", fmt::format("seed {}", *result.perturb));
    if (result.random_memory) text += line("random memory", fmt::format("seed {}", *result.random_memory));
    text += line("wall time", fmt::format("{:.2f} s", figures.wall_seconds));
    text += line("speed", fmt::format("{:.1f} simulated kHz, {:.1f} MMAC/s", figures.simulated_khz(),
                                      figures.mmacs_per_second()));
    return text;
}

}  // namespace trnsim::runtime
