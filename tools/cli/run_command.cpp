// trnsim run
#include <memory>

#include "tools/cli/commands.hpp"
#include "tools/cli/run_kernel.hpp"

namespace trnsim::cli {

void declare_run(Subcommand app, const Environment& environment, int& status) {
    auto options = std::make_shared<RunOptions>();
    declare_kernel_options(app, *options);
    app.add_option("--fidelity", options->fidelity, "Model of the core: rtl, fast").show_default();
    declare_checkpoint_options(
        app, options->checkpoints,
        "Runs on the fast core up to this simulated time, with a unit, or core cycle, and on the RTL from "
        "there; --wave is of the RTL");
    app.add_option("--wave", options->wave, "Waveform of the core, .fst");
    declare_wave_parts(app, *options);
    app.add_option(
        "--wave-element", options->wave_element,
        "Element of an output, NAME[I,...]: its write is marked in the waveform, with rows for what "
        "it should be and what it is");
    app.add_option(
        "--wave-on-error", options->wave_on_error,
        "If the run fails, waveform of the last cycles before; if an output is wrong, of the write "
        "of its first wrong element; .fst");
    app.add_option("--expect", options->expected, "Expected output, NAME=FILE.npy, within --rtol and --atol")
        .repeated();
    app.add_option("--rtol", options->rtol, "Tolerance of --expect relative to what is expected, else 1e-5");
    app.add_option("--atol", options->atol, "Tolerance of --expect added to that, else 1e-8");
    Option check = app.add_flag(
        "--check", options->check,
        "Compare every output with the interpreter's bit for bit and look for races: what is done "
        "with kernels that are not built in");
    app.add_flag("--no-check", options->no_check, "Neither, for long runs of a kernel that is not built in")
        .excludes(check);
    app.add_flag("--fail-on-nan", options->fail_on_nan,
                 "A run in which Tensor, Vector or Scalar writes a NaN fails; so does NEURON_FAIL_ON_NAN=1");
    declare_limits(app, *options);
    declare_unwritten(app, *options);
    app.add_option("--trace", options->trace, "Timeline as Chrome/Perfetto trace JSON");
    app.add_option("--notifications", options->notifications,
                   "Records of the core's notification queue, as CSV: instructions with begin and end");
    app.add_option("--stats", options->stats, "Figures of the run as JSON");
    app.add_option("--itrace", options->itrace,
                   "Instructions that the GpSimd cores execute, as Spike's commit log");
    app.add_option("--itrace-core", options->itrace_core, "Log this core alone, from 0").type_name("K");
    app.add_option(
           "--gdb", options->gdb,
           "Waits for a debugger of the GpSimd cores on this TCP port of the loopback interface; 0: any "
           "free one")
        .type_name("PORT");
    app.callback([options, &environment, &status] { status = run_kernel(*options, environment); });
}

}  // namespace trnsim::cli
