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

std::string window(const ErrorPlace& place) {
    return nanoseconds(place.first) + ":" + (place.last ? nanoseconds(*place.last) : "");
}

std::uint64_t before(std::uint64_t time, std::uint64_t length) {
    return time - std::min(time, length);
}

}  // namespace

ErrorPlace end_of(const runtime::Result& result, const config::Config& config) {
    const std::uint64_t length = cycles_to_time(ErrorCycles, config.core.clock);
    const std::uint64_t end = result.figures.start + result.figures.time;
    if (result.outcome != Outcome::Hang || result.spinning) return {.first = before(end, length)};
    const std::uint64_t progress = before(end, config.runtime.timeout);
    return {.first = before(progress, length), .last = progress + length};
}

ErrorPlace around(std::uint64_t first, std::uint64_t last, const config::Config& config) {
    return {.first = cycles_to_time(before(first, ErrorCycles), config.core.clock),
            .last = cycles_to_time(last + ErrorCycles, config.core.clock)};
}

bool record_error(const RunOptions& options, const runtime::Result& result, const ErrorPlace& place,
                  const Environment& environment) {
    const auto refuse = [&](const char* why) {
        environment.err << fmt::format("trnsim: --wave-on-error {}: {}\n", options.wave_on_error, why);
        return false;
    };
    if (result.outcome == Outcome::TimeLimit && options.max_time.empty())
        return refuse("not recorded, as nothing but an interruption ended the run");
    std::vector<std::string> arguments{
        "run",        options.kernel,  "--no-check", "--seed", std::to_string(result.rounding.seed),
        "--fidelity", options.fidelity};
    const auto add = [&arguments](const std::string& option, const std::string& value) {
        if (!value.empty()) arguments.insert(arguments.end(), {option, value});
    };
    add("--config", options.config);
    add("--threads", options.threads);
    arguments.push_back(fmt::format("--stochastic-rounding={}", result.rounding.stochastic));
    if (result.perturb) add("--perturb", std::to_string(*result.perturb));
    if (result.random_memory) add("--random-memory", std::to_string(*result.random_memory));
    for (const std::string& input : options.inputs) add("--input", input);
    if (options.random_inputs) add("--random-inputs", std::to_string(*options.random_inputs));
    for (const std::string& expected : options.expected) add("--expect", expected);
    add("--rtol", options.rtol.value_or(""));
    add("--atol", options.atol.value_or(""));
    add("--max-time", options.max_time);
    add("--wave", options.wave_on_error);
    add("--wave-window", window(place));
    add("--wave-scope", fmt::format("{}", fmt::join(options.wave_scopes, ",")));
    add("--wave-element", place.element);
    // The second run ends as the first one unless the waveform could not be written; then the file may be an
    // older one. Without the check it may also end well.
    const int status = environment.again(arguments);
    return status == Success || status == SimulationError || refuse("cannot be recorded");
}

}  // namespace trnsim::cli
