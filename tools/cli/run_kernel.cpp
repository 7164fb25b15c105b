#include "tools/cli/run_kernel.hpp"

#include <fmt/format.h>

#include "tools/cli/core_run.hpp"
#include "tools/cli/missing_core.hpp"
#include "tools/cli/run_request.hpp"
#include "tools/cli/server_run.hpp"
#include "tools/command/threads.hpp"

namespace trnsim::cli {

void declare_kernel_options(Subcommand app, RunOptions& options) {
    app.add_option("kernel", options.kernel, "A compiled kernel, .neff").required();
    app.add_option("--config", options.config,
                   "Configuration: a name or a .yaml file, or the name of a server, on a chip of which it "
                   "runs; without it the shipped one that the kernel is built for");
    app.add_option("--input", options.inputs,
                   "Input tensor, NAME=FILE.npy; fp32 is rounded to the kernel's type")
        .repeated();
    app.add_option("--random-inputs", options.random_inputs,
                   "Random contents, by this seed, of the inputs that are not given")
        .show_default();
    app.add_option("--output", options.outputs,
                   "Output tensor, NAME=FILE.npy, in the kernel's type, or NAME=FILE.npy:fp32")
        .repeated();
    app.add_option("--seed", options.seed,
                   "Seed of stochastic rounding; without it NEURON_RT_STOCHASTIC_ROUNDING_SEED, else 0");
    app.add_option("--perturb", options.perturb, "Random delays and stalls everywhere, by this seed")
        .type_name("SEED");
    app.add_option("--random-memory", options.random_memory,
                   "Random initial contents of HBM, SBUF and PSUM, by this seed, instead of zeros")
        .type_name("SEED");
    app.add_flag(
        "--stochastic-rounding", options.stochastic_rounding,
        "Round narrowing writes stochastically; without it as NEURON_RT_STOCHASTIC_ROUNDING_EN says");
    declare_threads(app, options.threads);
}

void declare_limits(Subcommand app, RunOptions& options) {
    app.add_option("--max-time", options.max_time,
                   "Simulated time, with a unit, after which a run that is not done is stopped");
    app.add_option(
        "--max-work", options.max_work,
        "Work after which the interpreter stops, in elements of all partitions; without it 2^34, and "
        "2^28 in loops");
}

void declare_unwritten(Subcommand app, RunOptions& options) {
    app.add_flag("--fail-on-unwritten", options.fail_on_unwritten,
                 "A run in which an engine reads words that nothing has written fails; without it a warning "
                 "names the first");
}

void declare_wave_parts(Subcommand app, RunOptions& options) {
    app.add_option("--wave-scope", options.wave_scopes,
                   "Parts of the core in the waveform: tensor,vector,...")
        .delimiter(',');
    app.add_option("--wave-window", options.wave_window,
                   "FROM:TO of simulated time in the waveform, in ns or with a unit; either may be left out");
}

int run_kernel(const RunOptions& options, const Environment& environment, const Finished& finished) {
    if (options.server) expect_one_process();
    const RunRequest request = parse(options);
    try {
        return request.server ? run_on_server(request, environment)
                              : run_on_core(request, environment, finished);
    } catch (const functional::Interrupted& error) {
        environment.err << fmt::format("trnsim: {}: {}\n", kernels_of(options).front(), error.what());
        return SimulationError;
    } catch (const tlm::NoCoreModel& error) {
        throw missing_core(error, request.config_name,
                           request.server ? "a server without RTL ranks" : "--fidelity fast");
    }
}

}  // namespace trnsim::cli
