// The trnsim program. SystemC must be entered through sc_main.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <systemc>

#include "runtime/session/chip_machine.hpp"
#include "tools/cli/app.hpp"
#include "tools/cli/programs.hpp"
#include "tools/cli/signals.hpp"

using namespace trnsim;

int sc_main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    int status = cli::run(arguments, {std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1, runtime::make_chip,
                                      cli::open_gtkwave, cli::run_again});
    if (!std::cout.flush()) {
        std::cerr << "trnsim: standard output: cannot write all of it\n";
        if (status == cli::Success) status = cli::BadInput;
    }
    cli::end_by_noted_signal();
    return status;
}

int main(int argc, char** argv) {
    cli::clean_up_on_signals();
    ::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond the limit is an error of its writer
    ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
