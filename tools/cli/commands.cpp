#include "tools/cli/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "tools/bench/command.hpp"
#include "tools/parity/command.hpp"

namespace trnsim::cli {
namespace {

constexpr std::array Commands{
    Command{"demo", "Classify handwritten digits on the RTL", declare_demo},
    Command{"kernel", "List and build the built-in kernels", declare_kernel},
    Command{"customop", "Compile operators of one's own for the GpSimd cores", declare_customop},
    Command{"new", "Write a project for a kernel of one's own", declare_new},
    Command{"run", "Run a compiled kernel on the RTL", declare_run},
    Command{"launch", "Run compiled kernels on several cores of a server, with their collectives",
            declare_launch},
    Command{"check", "Look for mistakes in a compiled kernel and compare its outputs bit for bit",
            declare_check},
    Command{"parity", "Compare the fast core with the RTL: every byte, every cycle", parity::declare_parity},
    Command{"wave", "Run a kernel and look at its waveform", declare_wave},
    Command{"profile", "Run a compiled kernel and say where the time went", declare_profile},
    Command{"info",
            "What a compiled kernel is: tensors, instructions, queues, sizes; or an image for GpSimd cores",
            declare_info},
    Command{"disasm", "Print every instruction of a compiled kernel", declare_disasm},
    Command{"config", "List, show or check configurations", declare_config},
    Command{"regress", "Run a list of kernels, compare results and cycles", declare_regress},
    Command{"sweep", "Run kernels over a range of configurations", declare_sweep},
    Command{"nccom-test", "Time collectives on a simulated server", declare_nccom_test},
    Command{"bench", "Run benchmarks", bench::declare_bench},
    Command{"completion", "Completion of the command line, for a shell to read", declare_completion},
};

constexpr std::array Variables{
    VariableInfo{"TRNSIM_CONFIG_PATH",
                 "Folders with configurations, separated by colons, before the shipped ones"},
    VariableInfo{"TRNSIM_CORE_PATH",
                 "Folders with built cores, separated by colons, instead of those beside the program"},
    VariableInfo{"TRNSIM_SOURCE",
                 "The sources that sweeps build cores from, instead of those above the program"},
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

std::span<const Command> commands() {
    return Commands;
}

}  // namespace trnsim::cli
