#include "testbench/cli/run_options.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "testbench/config/units.hpp"

namespace trnsim::cli {
namespace {

constexpr unsigned __int128 FsPerSecond = 1'000'000'000'000'000;

std::uint64_t parse_cycle(const std::string& text, const std::string& window, std::uint64_t clock_hz,
                          bool round_up) {
    const bool plain = text.find_first_not_of("0123456789.") == std::string::npos;
    const auto time = config::parse_quantity(plain ? text + " ns" : text, config::Quantity::Time);
    if (!time) {
        throw std::runtime_error(fmt::format(
            "--wave-window {}: '{}' is no time, expected FROM:TO such as 1000:2500 (ns) or 1us:2.5us", window,
            text));
    }
    const unsigned __int128 scaled = static_cast<unsigned __int128>(*time) * clock_hz;
    return static_cast<std::uint64_t>((scaled + (round_up ? FsPerSecond - 1 : 0)) / FsPerSecond);
}

}  // namespace

void check(const RunOptions& options) {
    if (options.fidelity == "fast") {
        throw std::runtime_error("--fidelity fast: this version has no fast model, expected rtl");
    }
    if (options.fidelity != "rtl")
        throw std::runtime_error(fmt::format("--fidelity {}: expected rtl", options.fidelity));
    if (options.stochastic_rounding) {
        throw std::runtime_error(
            "--stochastic-rounding: the core of this version rounds to nearest even only");
    }
    if (options.seed) throw std::runtime_error("--seed: nothing in this version draws random numbers");
    if (options.wave.empty() && !options.wave_scopes.empty())
        throw std::runtime_error("--wave-scope: expected --wave with it");
    if (options.wave.empty() && !options.wave_window.empty())
        throw std::runtime_error("--wave-window: expected --wave with it");
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

std::pair<std::uint64_t, std::uint64_t> parse_window(const std::string& text, std::uint64_t clock_hz) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
        throw std::runtime_error(
            fmt::format("--wave-window {}: expected FROM:TO such as 1000:2500 (ns) or 1us:2.5us", text));
    }
    const std::string from = text.substr(0, colon), to = text.substr(colon + 1);
    const std::uint64_t first = from.empty() ? 0 : parse_cycle(from, text, clock_hz, false);
    const std::uint64_t last =
        to.empty() ? std::numeric_limits<std::uint64_t>::max() : parse_cycle(to, text, clock_hz, true);
    if (first >= last)
        throw std::runtime_error(fmt::format("--wave-window {}: the end is not after the beginning", text));
    return {first, last};
}

}  // namespace trnsim::cli
