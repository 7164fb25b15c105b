#include "tools/cli/wave_on_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/time/cycles.hpp"
#include "base/time/time.hpp"
#include "tools/cli/command.hpp"

namespace trnsim::cli {
namespace {

using tlm::Outcome;

std::string nanoseconds(std::uint64_t fs) {
    return fmt::format("{}.{:06}", fs / FsPerNs, fs % FsPerNs);
}

std::string window(const runtime::Result& result, const config::Config& config) {
    const std::uint64_t length = cycles_to_time(ErrorCycles, config.core.clock);
    const std::uint64_t end = result.figures.start + result.figures.time;
    if (result.outcome != Outcome::Hang || result.spinning)
        return nanoseconds(end - std::min(end, length)) + ":";
    const std::uint64_t progress = end - std::min(end, config.runtime.timeout);
    return fmt::format("{}:{}", nanoseconds(progress - std::min(progress, length)),
                       nanoseconds(progress + length));
}

}  // namespace

bool record_error(const RunOptions& options, const runtime::Result& result, const config::Config& config,
                  const Environment& environment) {
    if (result.outcome == Outcome::TimeLimit) return false;
    std::vector<std::string> arguments{
        "run",        options.kernel,  "--no-check", "--seed", std::to_string(result.rounding.seed),
        "--fidelity", options.fidelity};
    if (!options.config.empty()) arguments.insert(arguments.end(), {"--config", options.config});
    arguments.push_back(fmt::format("--stochastic-rounding={}", result.rounding.stochastic));
    if (result.perturb) arguments.insert(arguments.end(), {"--perturb", std::to_string(*result.perturb)});
    if (result.random_memory)
        arguments.insert(arguments.end(), {"--random-memory", std::to_string(*result.random_memory)});
    for (const std::string& input : options.inputs) arguments.insert(arguments.end(), {"--input", input});
    if (options.random_inputs)
        arguments.insert(arguments.end(), {"--random-inputs", std::to_string(*options.random_inputs)});
    arguments.insert(arguments.end(),
                     {"--wave", options.wave_on_error, "--wave-window", window(result, config)});
    if (!options.wave_scopes.empty())
        arguments.insert(arguments.end(),
                         {"--wave-scope", fmt::format("{}", fmt::join(options.wave_scopes, ","))});
    // The second run ends like the first one unless the waveform could not be written; then the file may be
    // an older one.
    if (environment.again(arguments) == SimulationError) return true;
    environment.err << fmt::format("trnsim: --wave-on-error {}: cannot be recorded\n", options.wave_on_error);
    return false;
}

}  // namespace trnsim::cli
