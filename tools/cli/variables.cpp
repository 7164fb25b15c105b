// The environment variables of the program.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "tools/cli/commands.hpp"

namespace trnsim::cli {
namespace {

constexpr std::array Variables{
    VariableInfo{"TRNSIM_CONFIG_PATH",
                 "Folders with configurations, separated by colons, before the shipped ones"},
    VariableInfo{"TRNSIM_CORE_PATH",
                 "Folders with built cores, separated by colons, instead of those beside the program"},
    VariableInfo{"TRNSIM_SOURCE",
                 "The sources that sweeps build cores from, instead of those above the program"},
    VariableInfo{"TRNSIM_PYTHON",
                 "The interpreter with the package trnsim that runs the benchmarks of the Python package, "
                 "instead of python3"},
    VariableInfo{"XDG_CACHE_HOME",
                 "Cores that sweeps build go to trnsim/cores in it, builds of trees that cannot be written "
                 "to into trnsim/trees; "
                 "without it ~/.cache"},
    VariableInfo{"TRNSIM_RTL_COVERAGE_DIR",
                 "Folder for the counts of cores that are built to count coverage"},
    VariableInfo{"NEURON_RT_STOCHASTIC_ROUNDING_EN", "0 or 1: as --stochastic-rounding"},
    VariableInfo{"NEURON_RT_STOCHASTIC_ROUNDING_SEED", "As --seed"},
    VariableInfo{"NEURON_FAIL_ON_NAN", "0 or 1: as --fail-on-nan"},
    VariableInfo{"DISPLAY, WAYLAND_DISPLAY",
                 "Without one, wave prints how to look at the waveform instead of opening it"},
};

}  // namespace

std::span<const VariableInfo> environment_variables() {
    return Variables;
}

std::string unread_variables() {
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry), name = text.substr(0, text.find('='));
        if (name.starts_with("NEURON_RT_") &&
            std::ranges::find(Variables, name, &VariableInfo::name) == Variables.end())
            names.emplace_back(name);
    }
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace trnsim::cli
