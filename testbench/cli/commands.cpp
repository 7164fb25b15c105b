#include "testbench/cli/commands.hpp"

#include <array>

namespace trnsim::cli {
namespace {

constexpr std::array Commands{
    Command{"demo", "Classify handwritten digits on the RTL", declare_demo},
    Command{"kernel", "List and build the built-in kernels", declare_kernel},
    Command{"run", "Run a compiled kernel on the RTL", declare_run},
    Command{"wave", "Run a kernel and look at its waveform", declare_wave},
    Command{"disasm", "Print every instruction of a compiled kernel", declare_disasm},
    Command{"config", "Show or check a configuration", declare_config},
    Command{"regress", "Run a list of kernels, compare results and cycles", declare_regress},
    Command{"sweep", "Run kernels over a range of configurations", declare_sweep},
    Command{"bench", "Run benchmarks", declare_bench},
};

}  // namespace

std::span<const Command> commands() {
    return Commands;
}

}  // namespace trnsim::cli
