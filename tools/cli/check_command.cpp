// trnsim check
#include <memory>

#include "tools/cli/commands.hpp"
#include "tools/cli/run_kernel.hpp"

namespace trnsim::cli {

void declare_check(Subcommand app, const Environment& environment, int& status) {
    auto options = std::make_shared<RunOptions>();
    options->random_inputs = 0;
    options->check = true;
    declare_kernel_options(app, *options);
    app.add_flag("--no-rtl", options->no_rtl,
                 "Only interpret the kernel: find races, deadlocks and reads of unwritten bytes");
    declare_limits(app, *options);
    declare_unwritten(app, *options);
    app.callback([options, &environment, &status] { status = run_kernel(*options, environment); });
}

}  // namespace trnsim::cli
