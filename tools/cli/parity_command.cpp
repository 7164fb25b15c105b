// trnsim parity
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "lib/config/config.hpp"
#include "lib/neff/neff.hpp"
#include "testbench/parity/comparison.hpp"
#include "testbench/parity/subjects.hpp"
#include "tlm/core/fast/fast_core.hpp"
#include "tlm/core/rtl/rtl_core.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/isolated.hpp"
#include "tools/cli/target_config.hpp"

namespace trnsim::cli {
namespace {

constexpr std::uint64_t BatchSize = 10;               // programs of a package
constexpr double MostMean = 0.002, MostWorst = 0.01;  // of completion cycles, relative to those of the RTL
constexpr std::size_t MostLines = 8;                  // of differences of a subject

struct ParityOptions {
    std::vector<std::string> kernels;
    std::string config;
    std::uint64_t programs = 0, seed = 1;
};

parity::Observation run_on(const parity::Subject& subject, runtime::Fidelity fidelity) {
    return parity::from_text(run_isolated([&] {
        const tlm::CoreFactory core = fidelity == runtime::Fidelity::Fast
                                          ? tlm::core_fast::make_core(subject.config)
                                          : tlm::core_rtl::load_core(subject.config, 1);
        return parity::to_text(
            parity::observe(subject.package, subject.config, subject.inputs, subject.rounding, core));
    }));
}

// Prints what has been found; whether it is within the limits.
bool check(const parity::Subject& subject, const Environment& environment) {
    const parity::Comparison found =
        parity::compare(run_on(subject, runtime::Fidelity::Rtl), run_on(subject, runtime::Fidelity::Fast));
    const parity::Timing& timing = found.timing;
    environment.out << fmt::format(
        "{}: {} instructions, {} complete in another cycle, mean error {:.4f} %, worst {:.4f} %; RTL takes "
        "{:.1f} times as long\n",
        subject.name, timing.instructions, timing.differing, 100 * timing.mean, 100 * timing.worst,
        found.speed_up);
    std::vector<std::string> lines;
    if (!timing.first.empty()) lines.push_back(timing.first);
    for (const auto* part : {&found.runs, &found.bytes, &found.counted})
        lines.insert(lines.end(), part->begin(), part->end());
    for (std::size_t i = 0; i < std::min(lines.size(), MostLines); ++i)
        environment.out << fmt::format("  {}\n", lines[i]);
    if (lines.size() > MostLines)
        environment.out << fmt::format("  and {} differences more\n", lines.size() - MostLines);
    return found.runs.empty() && found.bytes.empty() && timing.mean <= MostMean && timing.worst <= MostWorst;
}

int run_parity(const ParityOptions& options, const Environment& environment) {
    std::size_t subjects = 0, failed = 0;
    const auto count = [&](const parity::Subject& subject) {
        ++subjects;
        failed += check(subject, environment) ? 0 : 1;
    };
    for (const std::string& path : options.kernels) {
        neff::Package package = neff::read(path);
        const config::Config config =
            config::load(options.config.empty() ? config_for(package) : options.config);
        count(parity::subject_of(path, config, std::move(package), options.seed));
    }
    const config::Config config = config::load(options.config.empty() ? "small16" : options.config);
    for (std::uint64_t first = 0; first < options.programs; first += BatchSize)
        count(
            parity::programs(config, options.seed, first, std::min(first + BatchSize, options.programs) - 1));
    environment.summary() << fmt::format("{} compared, {} differ by more than is allowed\n", subjects,
                                         failed);
    return failed == 0 ? Success : SimulationError;
}

}  // namespace

void declare_parity(CLI::App& app, const Environment& environment, int& status) {
    auto options = std::make_shared<ParityOptions>();
    app.add_option("kernel", options->kernels, "Kernels, .neff; their inputs are random");
    app.add_option("--programs", options->programs, "So many random programs")->capture_default_str();
    app.add_option("--seed", options->seed, "Of programs and inputs")->capture_default_str();
    app.add_option("--config", options->config, "Configuration; else the kernel's, small16 for programs");
    app.callback([options, &environment, &status] {
        if (options->kernels.empty() && options->programs == 0)
            throw std::runtime_error("expected kernels or --programs N");
        status = run_parity(*options, environment);
    });
}

}  // namespace trnsim::cli
