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
    app.add_option("--max-time", options->max_time,
                   "Simulated time, with a unit, after which a run that is not done is stopped");
    app.add_option("--max-work", options->max_work,
                   "Work after which the interpreter stops: elements of all partitions, without it 2^34");
    app.add_flag("--fail-on-unwritten", options->fail_on_unwritten,
                 "A run in which an engine reads words that nothing has written fails; without it a warning "
                 "names the first");
    app.callback([options, &environment, &status] { status = run_kernel(*options, environment); });
}

}  // namespace trnsim::cli
