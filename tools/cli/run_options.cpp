#include "tools/cli/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>

#include "arch/config/units.hpp"
#include "base/time/cycles.hpp"
#include "isa/aliases.hpp"
#include "model/core/core_model.hpp"
#include "model/core/fast/wave.hpp"
#include "runtime/waves/outputs.hpp"
#include "runtime/waves/scopes.hpp"

namespace trnsim::cli {
namespace {

constexpr double MaxTolerance = std::numeric_limits<double>::max();
constexpr const char* EnableVariable = "NEURON_RT_STOCHASTIC_ROUNDING_EN";
constexpr const char* SeedVariable = "NEURON_RT_STOCHASTIC_ROUNDING_SEED";
constexpr const char* NanVariable = "NEURON_FAIL_ON_NAN";

// Returns the time in fs.
std::uint64_t parse_time(const std::string& text, const std::string& window) {
    const bool plain = text.find_first_not_of("0123456789.") == std::string::npos;
    const auto time = config::parse_quantity(plain ? text + " ns" : text, config::Quantity::Time);
    if (!time) {
        throw std::runtime_error(fmt::format(
            "--wave-window {}: '{}' is no time, expected FROM:TO such as 1000:2500 (ns) or 1us:2.5us", window,
            text));
    }
    return *time;
}

// Returns the value of a variable; an empty one counts as not set.
std::optional<std::string> variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

// Parses a variable that is 0 or 1.
std::optional<bool> parse_switch(const char* name) {
    const auto value = variable(name);
    if (!value) return std::nullopt;
    if (*value != "0" && *value != "1")
        throw std::runtime_error(fmt::format("{}={}: expected 0 or 1", name, *value));
    return *value == "1";
}

std::uint32_t parse_seed(const std::string& where, const std::string& text) {
    std::uint32_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
        throw std::runtime_error(fmt::format("{}{}: expected a whole number from 0 to {}", where, text,
                                             std::numeric_limits<std::uint32_t>::max()));
    }
    return seed;
}

// The fast core has no trace or debugger of GpSimd cores, and it is not perturbed.
void check_fast(const RunOptions& options) {
    const std::array<std::pair<const char*, bool>, 3> missing{{{"--itrace", !options.itrace.empty()},
                                                               {"--gdb", options.gdb.has_value()},
                                                               {"--perturb", options.perturb.has_value()}}};
    for (const auto& [option, given] : missing)
        if (given)
            throw std::runtime_error(
                fmt::format("{}: fidelity fast does not have it, expected --fidelity rtl", option));
}

void check_checkpoints(const RunOptions& options) {
    check_checkpoint_options(options.checkpoints,
                             {{"--notifications", !options.notifications.empty()},
                              {"--itrace", !options.itrace.empty()},
                              {"--gdb", options.gdb.has_value()},
                              {"--perturb", options.perturb.has_value()}},
                             {{"--input", !options.inputs.empty()},
                              {"--random-inputs", options.random_inputs.has_value()},
                              {"--seed", options.seed.has_value()},
                              {"--stochastic-rounding", !options.stochastic_rounding.empty()},
                              {"--check", options.check},
                              {"--wave-element", !options.wave_element.empty()},
                              {"--wave-on-error", !options.wave_on_error.empty()}});
    for (const auto& [option, given] : {std::pair{"--wave-element", !options.wave_element.empty()},
                                        {"--wave-on-error", !options.wave_on_error.empty()}})
        if (options.checkpoints.switches() && given)
            throw std::runtime_error(fmt::format("{}: expected no --switch-to-rtl-at with it", option));
}

// The waves of a server do not show parts of a core.
void check_server(const RunOptions& options) {
    if (!options.server) return;
    if (options.server->wave_rank && options.wave.empty())
        throw std::runtime_error("--wave-rank: expected --wave with it");
    for (const auto& [option, given] : {std::pair{"--wave-scope", !options.wave_scopes.empty()},
                                        {"--wave-window", !options.wave_window.empty()}})
        if (given && !options.server->wave_rank)
            throw std::runtime_error(fmt::format("{}: expected --wave-rank with it", option));
}

}  // namespace

void check(const RunOptions& options) {
    check_checkpoints(options);
    if (parse_fidelity(options) == runtime::Fidelity::Fast) check_fast(options);
    for (const auto& [option, name] :
         {std::pair{"--wave", options.wave}, {"--wave-on-error", options.wave_on_error}})
        if (!name.empty()) waves::check_name(option, name);
    if (options.wave.empty() && options.wave_on_error.empty() && !options.wave_scopes.empty())
        throw std::runtime_error("--wave-scope: expected --wave with it");
    try {
        waves::check_scopes(options.wave_scopes);
        if (parse_fidelity(options) == runtime::Fidelity::Fast && !options.checkpoints.switches())
            tlm::core_fast::check_fast_scopes(waves::core_scopes(options.wave_scopes));
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("--wave-scope: {}", error.what()));
    }
    for (const auto& [option, given] : {std::pair{"--wave-window", !options.wave_window.empty()},
                                        {"--wave-element", !options.wave_element.empty()}})
        if (options.wave.empty() && given)
            throw std::runtime_error(fmt::format("{}: expected --wave with it", option));
    if (options.itrace.empty() && options.itrace_core)
        throw std::runtime_error("--itrace-core: expected --itrace with it");
    check_server(options);
}

runtime::Rounding parse_rounding(const RunOptions& options) {
    runtime::Rounding rounding;
    rounding.stochastic = parse_switch(EnableVariable).value_or(false);
    if (const auto seed = variable(SeedVariable))
        rounding.seed = parse_seed(fmt::format("{}=", SeedVariable), *seed);
    if (!options.stochastic_rounding.empty()) {
        if (options.stochastic_rounding != "true" && options.stochastic_rounding != "false") {
            throw std::runtime_error(
                fmt::format("--stochastic-rounding={}: expected true or false", options.stochastic_rounding));
        }
        rounding.stochastic = options.stochastic_rounding == "true";
    }
    if (options.seed) rounding.seed = parse_seed("--seed ", *options.seed);
    return rounding;
}

bool parse_fail_on_nan(const RunOptions& options) {
    return parse_switch(NanVariable).value_or(false) || options.fail_on_nan;
}

runtime::Fidelity parse_fidelity(const RunOptions& options) {
    const auto fidelity = runtime::fidelity_of(options.fidelity);
    if (!fidelity)
        throw std::runtime_error(fmt::format("--fidelity {}: expected rtl or fast", options.fidelity));
    return options.checkpoints.switches() ? runtime::Fidelity::Fast : *fidelity;
}

std::uint64_t parse_max_time(const RunOptions& options) {
    if (options.max_time.empty()) return 0;
    const auto time = config::parse_quantity(options.max_time, config::Quantity::Time);
    if (!time || *time == 0)
        throw std::runtime_error(
            fmt::format("--max-time {}: expected a time above 0 such as '5 ms'", options.max_time));
    return *time;
}

functional::Limits parse_limits(const RunOptions& options, const config::Config& config) {
    functional::Limits limits;
    const std::uint64_t clock = config.core.clock;
    if (const std::uint64_t time = parse_max_time(options); time != 0)
        limits.cycles = std::max<std::uint64_t>(time_to_cycles(time, clock, Round::Up), 1);
    limits.dma_bytes = (config.dma.engines * config.dma.bandwidth + clock - 1) / clock;
    if (!options.max_work) return limits;
    const std::string& text = *options.max_work;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limits.work.emplace());
    if (error != std::errc() || end != text.data() + text.size() || *limits.work == 0)
        throw std::runtime_error(fmt::format("--max-work {}: expected a whole number from 1", text));
    return limits;
}

tlm::perturb::Seed parse_perturb(const RunOptions& options) {
    if (!options.perturb) return std::nullopt;
    return parse_seed("--perturb ", *options.perturb);
}

tlm::contents::Seed parse_random_memory(const RunOptions& options) {
    if (!options.random_memory) return std::nullopt;
    return parse_seed("--random-memory ", *options.random_memory);
}

std::optional<std::uint16_t> parse_gdb_port(const RunOptions& options) {
    if (!options.gdb) return std::nullopt;
    const std::string& text = *options.gdb;
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size())
        throw std::runtime_error(fmt::format("--gdb {}: expected a TCP port, or 0 for any free one", text));
    return port;
}

std::optional<unsigned> parse_itrace_core(const RunOptions& options, unsigned cores) {
    if (!options.itrace_core) return std::nullopt;
    const std::string& text = *options.itrace_core;
    unsigned core = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), core);
    if (error != std::errc() || end != text.data() + text.size() || core >= cores) {
        throw std::runtime_error(
            fmt::format("--itrace-core {}: expected a GpSimd core from 0 to {}", text, cores - 1));
    }
    return core;
}

Tolerance parse_tolerance(const RunOptions& options) {
    Tolerance tolerance;
    const auto parse = [&](const char* option, const std::optional<std::string>& text, double& value) {
        if (!text) return;
        if (options.expected.empty())
            throw std::runtime_error(fmt::format("{}: expected --expect with it", option));
        const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
        if (error != std::errc() || end != text->data() + text->size() || !(value >= 0) ||
            value > MaxTolerance)
            throw std::runtime_error(fmt::format("{} {}: expected a number from 0", option, *text));
    };
    parse("--rtol", options.rtol, tolerance.relative);
    parse("--atol", options.atol, tolerance.absolute);
    return tolerance;
}

std::map<std::string, std::filesystem::path> parse_bindings(const char* option,
                                                            const std::vector<std::string>& texts) {
    std::map<std::string, std::filesystem::path> bindings;
    for (const std::string& text : texts) {
        const std::size_t sign = text.find('=');
        if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) {
            throw std::runtime_error(fmt::format("{} {}: expected NAME=FILE.npy", option, text));
        }
        const std::string name = text.substr(0, sign);
        if (!bindings.emplace(name, text.substr(sign + 1)).second) {
            throw std::runtime_error(fmt::format("{} {}: '{}' given twice", option, text, name));
        }
    }
    return bindings;
}

std::map<std::string, OutputFile> parse_outputs(const std::vector<std::string>& texts) {
    std::map<std::string, OutputFile> outputs;
    for (const auto& [name, path] : parse_bindings("--output", texts)) {
        const std::string text = path.string();
        const std::size_t colon = text.rfind(':');
        const bool fp32 = colon != std::string::npos &&
                          isa::canonical_dtype(text.substr(colon + 1)) == "fp32" && colon != 0;
        if (colon != std::string::npos && !fp32 && text.substr(0, colon).ends_with(".npy"))
            throw std::runtime_error(
                fmt::format("--output {}={}: found '{}' after the file, expected fp32 or nothing", name, text,
                            text.substr(colon + 1)));
        outputs.emplace(name, OutputFile{fp32 ? text.substr(0, colon) : text, fp32});
    }
    return outputs;
}

std::pair<std::uint64_t, std::uint64_t> parse_window(const std::string& text, std::uint64_t clock_hz) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
        throw std::runtime_error(
            fmt::format("--wave-window {}: expected FROM:TO such as 1000:2500 (ns) or 1us:2.5us", text));
    }
    const std::string from = text.substr(0, colon), to = text.substr(colon + 1);
    const std::uint64_t first = from.empty() ? 0 : parse_time(from, text);
    if (to.empty()) return {time_to_cycles(first, clock_hz), std::numeric_limits<std::uint64_t>::max()};
    const std::uint64_t last = parse_time(to, text);
    if (first >= last)
        throw std::runtime_error(fmt::format("--wave-window {}: the end is not after the beginning", text));
    return {time_to_cycles(first, clock_hz), time_to_cycles(last, clock_hz, Round::Up)};
}

}  // namespace trnsim::cli
