#include "tools/cli/commands.hpp"

#include <array>

#include "tools/bench/command.hpp"
#include "tools/cli/app.hpp"
#include "tools/compile/command.hpp"
#include "tools/parity/command.hpp"

namespace trnsim::cli {
namespace {

constexpr std::array Commands{
    Command{"demo", DemoSummary, declare_demo},
    Command{"kernel", "List and build the built-in kernels", declare_kernel},
    Command{"compile", compile::Summary, compile::declare_compile},
    Command{"customop", "Compile operators of one's own for the GpSimd cores", declare_customop},
    Command{"new", "Write a project for a kernel of one's own", declare_new},
    Command{"run", "Run a compiled kernel on the RTL", declare_run},
    Command{"launch", "Run compiled kernels on several cores of a server, with their collectives",
            declare_launch},
    Command{"check", "Look for mistakes in a compiled kernel and compare its outputs bit for bit",
            declare_check},
    Command{"parity", "Compare the fast core with the RTL: every byte, every cycle", parity::declare_parity},
    Command{"wave", "Run a kernel and look at its waveform", declare_wave},
    Command{"where", "Say which instruction computed an element of an output, when and from what",
            declare_where},
    Command{"profile", "Run a compiled kernel and say where the time went", declare_profile},
    Command{"info",
            "Describe a compiled kernel (tensors, instructions, queues, sizes) or an image for GpSimd cores",
            declare_info},
    Command{"disasm", "Print every instruction of a compiled kernel", declare_disasm},
    Command{"config", "List, show or check configurations", declare_config},
    Command{"regress", "Run a list of kernels, compare results and cycles", declare_regress},
    Command{"sweep", "Run kernels over a range of configurations", declare_sweep},
    Command{"nccom-test", "Time collectives on a simulated server", declare_nccom_test},
    Command{"import", "Make sweeps, servers and kernels of files of other simulators and benchmarks",
            declare_import},
    Command{"bench", "Run benchmarks", bench::declare_bench},
    Command{"completion", "Completion of the command line, for a shell to read", declare_completion},
};

}  // namespace

std::span<const Command> commands() {
    return Commands;
}

int run(const std::vector<std::string>& arguments, const Environment& environment) {
    return run(Commands, arguments, environment);
}

}  // namespace trnsim::cli
