// trnsim wave
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "arch/config/config.hpp"
#include "base/text/shell.hpp"
#include "base/time/time.hpp"
#include "runtime/waves/recover.hpp"
#include "runtime/waves/scopes.hpp"
#include "runtime/waves/surfer.hpp"
#include "runtime/waves/view.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/run_kernel.hpp"

namespace trnsim::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char *GtkWave = "gtkwave", *Surfer = "surfer";

struct WaveOptions {
    RunOptions run;
    std::string view = "core";
    std::optional<std::uint64_t> at;  // core cycle
    std::optional<std::uint32_t> lane;
    std::string viewer = GtkWave;
};

// Options that also apply to an existing recording.
constexpr std::array<std::string_view, 6> OfRecordings{"kernel", "--config", "--view",
                                                       "--at",   "--lane",   "--viewer"};

bool is_recording(const std::string& path) {
    return fs::path(path).extension() == ".fst";
}

void check_options_of_recording(const Subcommand& app, const std::string& path) {
    for (const std::string& name : app.given()) {
        if (std::ranges::count(OfRecordings, name) != 0) continue;
        throw std::runtime_error(
            fmt::format("{}: {} has been recorded, expected a kernel to run", name, path));
    }
}

waves::Window window_of(const WaveOptions& options, const waves::Recording& recording) {
    std::optional<waves::Run> run = waves::read_run(recording.path);
    if (!options.at) return waves::window_of_run(recording, run);
    if (!run && options.run.config.empty())
        throw std::runtime_error(
            fmt::format("--at {}: {} does not say how long a cycle is, expected --config", *options.at,
                        recording.path.string()));
    if (!run) run = waves::Run{.clock = config::load(options.run.config).core.clock};
    return waves::window_around(recording, *run, *options.at);
}

void show(const WaveOptions& options, const waves::View& view, const fs::path& path,
          const Environment& environment) {
    const waves::Recording recording = waves::read_recording(path);
    waves::Window window = window_of(options, recording);
    window.lane = options.lane;
    if (options.viewer == Surfer) {
        const waves::SurferFiles made = waves::write_surfer_files(view, recording, window);
        environment.out << fmt::format(
            "to look at it: surfer --command-file {} {}; its formats are in {}, for ~/.config/surfer\n",
            text::shell_path(made.commands.string()), text::shell_path(recording.path.string()),
            made.settings.string());
        return;
    }
    const fs::path file = waves::write_save_file(view, recording, window);
    const std::string obstacle = environment.open(file.parent_path(), {file.string()});
    if (!obstacle.empty())
        environment.out << fmt::format("{}; to look at it: gtkwave {}\n", obstacle,
                                       text::shell_path(file.string()));
}

// Makes a recording that a killed run has left under another name; an older one of this name stays, with a note.
void recover(const std::string& path, const Environment& environment) {
    if (!is_recording(path)) return;
    const auto newer = waves::newer_leftover(path);
    if (!newer) return;
    if (fs::exists(path)) {
        environment.out << fmt::format(
            "{}: {} is newer, of a run that was killed or is at work; to see it move {} away\n", path,
            newer->string(), path);
        return;
    }
    const auto left = waves::recover(path);
    if (!left)
        throw std::runtime_error(
            fmt::format("{}: no such file, and {} holds nothing that can be shown, as a run writes the first "
                        "part only after a while; expected a recording",
                        path, newer->string()));
    environment.out << fmt::format(
        "{}: what a killed run recorded, up to {} ns; {} may be removed if no run writes there\n", path,
        left->last * FsPerPs / FsPerNs, left->folder.string());
}

int wave(WaveOptions options, const Environment& environment) {
    const waves::View view = waves::find_view(options.view);
    if (options.viewer != GtkWave && options.viewer != Surfer)
        throw std::runtime_error(fmt::format("--viewer {}: expected gtkwave or surfer", options.viewer));
    if (options.viewer == Surfer && options.lane)
        throw std::runtime_error("--lane: Surfer shows no parts of a signal, expected --viewer gtkwave");
    int status = Success;
    recover(options.run.kernel, environment);
    if (!is_recording(options.run.kernel)) {
        if (std::ranges::count(view.scopes, waves::LinksScope) != 0)
            throw std::runtime_error(fmt::format(
                "--view {}: {} is a kernel, expected a recording of a server, as nccom-test makes", view.name,
                options.run.kernel));
        options.run.wave_scopes = options.lane ? std::vector<std::string>{"all"} : view.scopes;
        if (options.run.wave.empty())
            options.run.wave = fs::path(options.run.kernel).stem().string() + ".fst";
        status = run_kernel(options.run, environment);
        if (!fs::exists(options.run.wave)) return status;
    }
    show(options, view, is_recording(options.run.kernel) ? options.run.kernel : options.run.wave,
         environment);
    return status;
}

}  // namespace

void declare_wave(Subcommand app, const Environment& environment, int& status) {
    auto options = std::make_shared<WaveOptions>();
    options->run.random_inputs = 0;
    options->run.looks_on = true;
    declare_kernel_options(app, options->run);
    app.option("kernel").description("A compiled kernel, .neff, or what has been recorded, .fst");
    app.add_option("--view", options->view,
                   "Parts to show: core, tensor, vector, scalar, gpsimd, rounding, dma, hbm, link")
        .show_default();
    // Without names of their own for the types: the parser would not check the numbers.
    app.add_option("--at", options->at, "Core cycle to show, counted from the beginning of simulated time");
    app.add_option("--lane", options->lane,
                   "Lane to show beside lanes 0 to 3; records the whole core, or needs such a recording");
    app.add_option("--viewer", options->viewer,
                   "gtkwave, which is opened, or surfer, for which a file of commands is written")
        .show_default();
    app.add_option("-o,--wave", options->run.wave, "The waveform, .fst; without it KERNEL.fst");
    app.add_option("--wave-window", options->run.wave_window,
                   "FROM:TO of simulated time in the waveform, in ns or with a unit; either may be left out");
    app.callback([options, app, &environment, &status] {
        if (is_recording(options->run.kernel)) check_options_of_recording(app, options->run.kernel);
        status = wave(*options, environment);
    });
}

}  // namespace trnsim::cli
