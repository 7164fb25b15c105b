#include "tools/cli/run_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "arch/config/settings.hpp"
#include "arch/target/memory.hpp"
#include "base/time/cycles.hpp"
#include "compiler/neff/neff.hpp"
#include "compiler/neff/sizes.hpp"
#include "model/system/load_server.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/signals.hpp"
#include "tools/command/target_config.hpp"
#include "tools/command/threads.hpp"

namespace trnsim::cli {
namespace {

std::uint32_t ranks_of(const RunOptions& options, const neff::Package& first) {
    const ServerOptions& server = *options.server;
    if (server.ranks) return *server.ranks;
    if (server.kernels.size() > 1) return static_cast<std::uint32_t>(server.kernels.size());
    if (const auto ranks = neff::ranks_of(first)) return *ranks;
    throw std::runtime_error(fmt::format(
        "{}: it has no collectives that tell how many ranks, expected --ranks", server.kernels[0]));
}

runtime::Packages read_packages(const RunOptions& options) {
    runtime::Packages packages;
    for (const std::string& kernel : kernels_of(options))
        packages.push_back(std::make_shared<const neff::Package>(neff::read(kernel)));
    if (!options.server) return packages;
    const std::uint32_t ranks = ranks_of(options, *packages.front());
    if (packages.size() != 1 && packages.size() != ranks)
        throw std::runtime_error(
            fmt::format("{} kernels of {} ranks, expected 1 or {}", packages.size(), ranks, ranks));
    packages.resize(ranks, packages.front());
    return packages;
}

// Refuses settings of the chips' configuration, which --chip replaces.
void expect_settings_of_server(const std::vector<std::string>& settings) {
    for (const config::Setting& setting : config::read_settings(settings)) {
        if (!config::is_server_key(setting.key))
            throw std::runtime_error(fmt::format(
                "--set {}={}: a key of the chips, expected no --chip with it", setting.key, setting.value));
    }
}

// Reads the server. For a run that switches models, ranks get RTL cores; all of them unless some are chosen.
config::Server read_server(const RunOptions& options, std::uint32_t ranks) {
    config::Server server = tlm::load_server(options.config, options.server->settings, options.server->cuts);
    if (!options.server->chip.empty()) {
        expect_settings_of_server(options.server->settings);
        server.chip = config::load(options.server->chip);
        server.chip_name = options.server->chip;
    }
    server = runtime::for_ranks(std::move(server), ranks, options.server->rtl_ranks);
    if (!options.checkpoints.switches()) return server;
    const auto has_rtl = [](const config::SlotKinds& chip) {
        return std::ranges::find(chip, config::CoreKind::Rtl) != chip.end();
    };
    if (std::ranges::none_of(server.slots, has_rtl)) {
        for (config::SlotKinds& chip : server.slots)
            std::ranges::replace(chip, config::CoreKind::Fast, config::CoreKind::Rtl);
    }
    return server;
}

void read_configuration(RunRequest& request) {
    const RunOptions& options = request.options;
    if (options.server) {
        request.server = read_server(options, request.ranks());
        request.config = request.server->chip;
        request.config_name = request.server->chip_name;
        return;
    }
    request.config_name =
        options.config.empty() ? config_for(request.package()) : config_of_chips(options.config);
    request.config = config::load(request.config_name);
}

void read_inputs(RunRequest& request) {
    const std::optional<std::uint64_t> seed = request.options.random_inputs;
    for (std::uint32_t rank = 0; !request.options.checkpoints.resumes() && rank < request.ranks(); ++rank) {
        try {
            request.inputs.push_back(inputs_of(*request.packages[rank], request.files, rank, seed));
        } catch (const loader::Error& error) {
            if (!request.server) throw;
            throw std::runtime_error(fmt::format("rank {}: {}", rank, error.what()));
        }
    }
    for (const neff::Tensor& tensor : request.package().tensors) {
        if (seed && neff::is_input(tensor.kind) && !request.files.inputs.contains(tensor.name))
            request.random.push_back(tensor.name);
    }
}

void read_expected(RunRequest& request) {
    check_outputs(request.package(), request.files.expected);
    request.tolerance = parse_tolerance(request.options);
    for (const neff::Tensor& tensor : request.package().tensors) {
        const auto expected = request.files.expected.find(tensor.name);
        if (expected != request.files.expected.end())
            check_expectation(tensor, npy::InputFile(expected->second));
    }
}

// Requests the waveform of the core, or of one of the server's. If the core switches models, its RTL is
// recorded, which is idle before the switch.
std::optional<runtime::WaveRequest> wave_of(const RunRequest& request) {
    const RunOptions& options = request.options;
    if (options.wave.empty() || (options.server && !options.server->wave_rank)) return std::nullopt;
    runtime::WaveRequest wave{options.wave, options.wave_scopes};
    const std::uint64_t clock = request.config.core.clock;
    if (!options.wave_window.empty())
        std::tie(wave.first_cycle, wave.last_cycle) = parse_window(options.wave_window, clock);
    if (options.checkpoints.switches())
        wave.first_cycle =
            std::max(wave.first_cycle, time_to_cycles(request.run.checkpoints.request->at, clock));
    if (!options.server) return wave;
    wave.rank = *options.server->wave_rank;
    if (wave.rank >= request.ranks())
        throw std::runtime_error(
            fmt::format("--wave-rank {}: expected one below {}", wave.rank, request.ranks()));
    return wave;
}

}  // namespace

runtime::Run RunRequest::with_state() const {
    runtime::Run whole = run;
    if (resumed) whole.checkpoints.resume = &*resumed;
    return whole;
}

RunRequest parse(const RunOptions& options) {
    check(options);
    RunRequest request{options, read_packages(options)};
    request.files = {parse_bindings("--input", options.inputs), parse_outputs(options.outputs),
                     parse_bindings("--expect", options.expected)};
    check_files(options, request.files, request.ranks());
    read_configuration(request);
    check_outputs(request);
    request.resumed = read_checkpoint(options.checkpoints);
    request.run.checkpoints.request = parse_checkpoint(options.checkpoints, request.config.core.clock);
    request.run.rounding = parse_rounding(options);
    request.run.max_time = parse_max_time(options);
    request.limits = parse_limits(options, request.config);
    request.limits.interrupted = InterruptGuard::interrupted;
    request.device = {.perturb = parse_perturb(options),
                      .random_memory = parse_random_memory(options),
                      .fidelity = parse_fidelity(options),
                      .switches = options.checkpoints.switches(),
                      .threads = parse_threads(options.threads)};
    request.fail_on_nan = parse_fail_on_nan(options);
    request.itrace_core = parse_itrace_core(options, target::gpsimd_cores(request.package().target));
    request.gdb_port = parse_gdb_port(options);
    read_inputs(request);
    read_expected(request);
    request.wave = wave_of(request);
    if (!options.wave_element.empty())
        request.wave_element = parse_element("--wave-element", options.wave_element, request.package());
    return request;
}

void report_moves(const std::vector<std::string>& lines, const RunOptions& options,
                  const Environment& environment) {
    for (const std::string& line : lines) {
        if (options.fail_on_unwritten)
            environment.err << fmt::format("trnsim: {}\n", line);
        else if (!environment.quiet())
            environment.err << fmt::format("trnsim: warning: {}\n", line);
    }
}

std::vector<std::string> shortcomings(const RunRequest& request, const runtime::Ending& ending,
                                      const std::string& first_nan) {
    std::vector<std::string> lines;
    if (!ending.done()) return lines;
    if (request.run.checkpoints.request && !ending.checkpoint)
        lines.push_back(checkpoint_missed(request.options.checkpoints));
    if (request.fail_on_nan && !first_nan.empty())
        lines.push_back("completed with numeric error (NaN), first by " + first_nan);
    return lines;
}

}  // namespace trnsim::cli
