// The trnsim program. SystemC wants to be entered through sc_main.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <systemc>

#include "testbench/cli/app.hpp"
#include "testbench/cli/programs.hpp"

namespace {

using namespace trnsim;

std::unique_ptr<runtime::Machine> make_chip(const config::Config& config,
                                            const runtime::MachineOptions& options) {
    auto machine = std::make_unique<runtime::ChipMachine>(config, options.sink, false, options.perturb);
    if (options.wave) machine->record_wave(*options.wave);
    return machine;
}

}  // namespace

int sc_main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    return cli::run(arguments, {std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1, make_chip,
                                cli::open_gtkwave, cli::run_again});
}

int main(int argc, char** argv) {
    ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
