// trnsim launch
#include <memory>

#include "tools/cli/commands.hpp"
#include "tools/cli/run_kernel.hpp"
#include "tools/command/server_settings.hpp"

namespace trnsim::cli {

void declare_launch(Subcommand app, const Environment& environment, int& status) {
    auto options = std::make_shared<RunOptions>();
    ServerOptions& server = options->server.emplace();
    options->config = "trn1.32xlarge";
    app.add_option("kernels", server.kernels, "A compiled kernel for all ranks, or one for each").required();
    app.add_option("--config", options->config, "The server: a name or a .yaml file").show_default();
    app.add_option("--chip", server.chip,
                   "Configuration of its chips: a name or a .yaml file; without it the server's");
    declare_settings(app, server.settings, server.cuts);
    app.add_option("-r,--ranks", server.ranks,
                   "Cores that run kernels, the first ones of the server's slots; without it as many as "
                   "their collectives are for")
        .between(1, 4096);
    app.add_option("--rtl-ranks", server.rtl_ranks,
                   "Ranks whose cores are RTL, such as 0,3, whatever the server's file says of their slots; "
                   "the others are as it says, fast where it has no cores")
        .delimiter(',');
    app.add_option("--processes", server.processes,
                   "Processes that simulate the server, each a group of its chips, with the same results")
        .between(1, 64)
        .show_default();
    app.add_option("--input", options->inputs,
                   "Input tensor, NAME=FILE.npy; {rank} in FILE stands for each rank's number")
        .repeated();
    app.add_option("--random-inputs", options->random_inputs,
                   "Random contents, by this seed and the rank, of the inputs that are not given");
    app.add_option("--output", options->outputs,
                   "Output tensor, NAME=FILE.npy, or NAME=FILE.npy:fp32, with {rank} in FILE")
        .repeated();
    app.add_flag("--check", options->check,
                 "Compare every output with the interpreter's bit for bit and look for races");
    app.add_flag("--fail-on-nan", options->fail_on_nan,
                 "A run in which Tensor, Vector or Scalar writes a NaN fails; so does NEURON_FAIL_ON_NAN=1");
    declare_limits(app, *options);
    declare_unwritten(app, *options);
    app.add_flag(
        "--stochastic-rounding", options->stochastic_rounding,
        "Round narrowing writes stochastically; without it as NEURON_RT_STOCHASTIC_ROUNDING_EN says");
    app.add_option("--seed", options->seed,
                   "Seed of stochastic rounding, of cores and collectives; without it "
                   "NEURON_RT_STOCHASTIC_ROUNDING_SEED, else 0");
    declare_checkpoint_options(
        app, options->checkpoints,
        "RTL ranks, without any all, run on the fast core up to this simulated time, with a unit, or core "
        "cycle, and on the RTL from there");
    app.add_option("--perturb", options->perturb, "Random delays and stalls everywhere, by this seed");
    app.add_option("--stats", options->stats, "Figures of collectives, links and every rank as JSON");
    app.add_option(
        "--trace", options->trace,
        "Timeline of cores, chips and links as Chrome/Perfetto trace JSON, of a run that fails as well");
    app.add_option(
        "--wave", options->wave,
        "Waves of links, collective cores, DMA rings and banks of HBM as FST, with a view for GTKWave; with "
        "--wave-rank the waveform of a core");
    app.add_option("--wave-rank", server.wave_rank, "The rank whose core --wave is of, as trnsim run has it");
    declare_wave_parts(app, *options);
    app.callback([options, &environment, &status] { status = run_kernel(*options, environment); });
}

}  // namespace trnsim::cli
