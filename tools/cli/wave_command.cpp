// trnsim wave
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "tools/cli/commands.hpp"
#include "tools/cli/run_kernel.hpp"
#include "tools/cli/wave_views.hpp"

namespace trnsim::cli {
namespace {

namespace fs = std::filesystem;

int wave(RunOptions options, const std::string& name, const Environment& environment) {
    const WaveView view = find_wave_view(name);
    options.wave_scopes = view.scopes;
    if (options.wave.empty()) options.wave = fs::path(options.kernel).stem().string() + ".fst";
    const int status = run_kernel(options, environment);
    if (!fs::exists(options.wave)) return status;
    const std::vector<std::string> arguments{fs::absolute(options.wave).string(), view.file};
    const std::string obstacle = environment.open(view.root, arguments);
    if (!obstacle.empty()) {
        environment.out << fmt::format("{}; to look at it: (cd {} && gtkwave {})\n", obstacle,
                                       view.root.string(), fmt::join(arguments, " "));
    }
    return status;
}

}  // namespace

void declare_wave(CLI::App& app, const Environment& environment, int& status) {
    auto options = std::make_shared<RunOptions>();
    auto view = std::make_shared<std::string>("core");
    options->random_inputs = 0;
    options->no_check = true;
    declare_kernel_options(app, *options);
    app.add_option("--view", *view, "What to show: core, tensor, vector, scalar, rounding")
        ->capture_default_str();
    app.add_option("-o,--wave", options->wave, "The waveform, .fst; without it KERNEL.fst");
    app.add_option("--wave-window", options->wave_window,
                   "FROM:TO of simulated time in the waveform, in ns or with a unit");
    app.callback([options, view, &environment, &status] { status = wave(*options, *view, environment); });
}

}  // namespace trnsim::cli
