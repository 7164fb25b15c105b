#include "tools/sweep/run_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arch/target/target.hpp"
#include "base/files/files.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/sizes.hpp"
#include "runtime/loader/tensor_io.hpp"
#include "runtime/session/chip_machine.hpp"
#include "runtime/session/relay.hpp"
#include "runtime/session/runner.hpp"
#include "runtime/session/trace_writer.hpp"
#include "runtime/waves/recorder.hpp"
#include "runtime/waves/server_recording.hpp"
#include "testbench/trial/inputs.hpp"
#include "testbench/trial/ranks.hpp"
#include "testbench/trial/trial.hpp"
#include "tools/sweep/metrics.hpp"

namespace trnsim::sweep {
namespace {

constexpr std::array<std::string_view, 4> StatusNames{"ok", "mismatch", "failed", "timeout"};
constexpr unsigned OneThread = 1, FirstCore = 0;

}  // namespace

std::string_view name_of(Status status) {
    return StatusNames[static_cast<std::size_t>(status)];
}

Status status_of(std::string_view name) {
    const auto* found = std::ranges::find(StatusNames, name);
    if (found == StatusNames.end()) throw std::runtime_error(fmt::format("no status '{}'", name));
    return static_cast<Status>(found - StatusNames.begin());
}

namespace {

neff::Package package_of(const Point& point) {
    return point.own ? trial::package_of(*point.own, point.config)
                     : kernels::build_kernel(point.kernel, point.arguments, target::of(point.config));
}

// Returns random inputs, which are made when they are needed. `package` must outlive them.
runtime::Contents random_contents(const neff::Package& package, std::uint64_t seed) {
    runtime::Contents contents(package.tensors.size());
    for (std::size_t i = 0; i < contents.size(); ++i) {
        if (neff::is_input(package.tensors[i].kind))
            contents[i] = trial::random_content(package, package.tensors[i], seed);
    }
    return contents;
}

runtime::Rounding rounding_of(const Point& point, const RunSettings& settings) {
    return {point.stochastic, static_cast<std::uint32_t>(settings.seed)};
}

// Runs the kernel and writes the requested recordings.
runtime::Result simulate(const Point& point, const neff::Package& package, const runtime::Prepared& prepared,
                         const RunSettings& settings) {
    std::optional<files::OutputFile> trace_file;
    std::optional<runtime::TraceWriter> trace;
    if (!settings.trace.empty()) trace.emplace(trace_file.emplace(settings.trace).stream());
    std::optional<waves::Recorder> wave;
    if (!settings.wave.empty())
        wave.emplace(runtime::WaveRequest{.path = settings.wave, .scopes = {}}, package);
    runtime::Observer observer(package, trace ? &*trace : nullptr);
    runtime::Relay sink;
    sink.attach(&observer, wave ? wave->listener() : nullptr);
    runtime::ChipMachine machine(point.config, {.sink = &sink, .perturb = point.perturb}, OneThread,
                                 FirstCore, point.fidelity);
    if (wave) machine.record_wave(wave->request());
    runtime::Result result = runtime::execute(machine, package, prepared, observer);
    if (trace) {
        trace->finish();
        trace_file->commit();
    }
    if (wave) wave->commit(machine.close_wave(), waves::run_of(result, point.config));
    return result;
}

// `energy` is that of all ranks of a server; without it that of the run's core counts.
PointResult result_of(const runtime::Result& run, const config::Config& config,
                      const std::optional<ServerFigures>& server,
                      const std::optional<estimates::Energy>& energy = {}) {
    PointResult result;
    result.rtl_hash = run.core.rtl_hash;
    result.verilator = run.core.verilator;
    runtime::Estimates estimates = runtime::estimate(run.figures, config, estimates::load_tables());
    if (energy) estimates.energy = *energy;
    for (const Metric& metric : metrics()) {
        if (const auto value = metric.value(run.figures, estimates, server))
            result.metrics.emplace(metric.name, *value);
    }
    return result;
}

PointResult run_on_core(const Point& point, const RunSettings& settings) {
    const neff::Package package = package_of(point);
    runtime::Prepared prepared =
        runtime::prepare_contents(package, point.config, random_contents(package, settings.seed));
    prepared.run.rounding = rounding_of(point, settings);
    prepared.run.takes_outputs = true;
    const runtime::Result run = simulate(point, package, prepared, settings);
    if (!run.done()) throw std::runtime_error(run.message);
    PointResult result = result_of(run, point.config, {});
    if (settings.check) {
        const trial::Trial trial = trial::make_trial(point.config, package, settings.seed);
        const trial::Contents expected = trial::interpret(
            trial, {.adversary = functional::Adversary::Latest,
                    .rounding = {prepared.run.rounding.stochastic, prepared.run.rounding.seed}});
        for (const trial::Difference& difference : trial::differences(package, expected, run.outputs))
            result.reason += (result.reason.empty() ? "" : "; ") + trial::describe(package, difference);
    }
    result.status = result.reason.empty() ? Status::Ok : Status::Mismatch;
    return result;
}

ServerFigures figures_of(const tlm::neuronlink::Network& network, const runtime::Results& run) {
    ServerFigures figures;
    const std::uint64_t time = run.time;
    figures.ranks = static_cast<double>(run.ranks.size());
    for (const runtime::RankResult& rank : run.ranks)
        figures.macs += static_cast<double>(rank.figures.matmul.macs);
    for (std::size_t cable = 0; cable < network.topology().cables.size(); ++cable) {
        for (const bool from_a : {true, false}) {
            const auto& sent = network.statistics(cable, from_a).sent;
            figures.bytes += static_cast<double>(sent.bytes);
            if (time != 0)
                figures.busy =
                    std::max(figures.busy, static_cast<double>(sent.busy) / static_cast<double>(time));
        }
    }
    return figures;
}

// Makes all cores fast; the point's fidelity, not that of the slots, decides which one is RTL.
config::Server with_fast_cores(config::Server server) {
    for (config::SlotKinds& chip : server.slots)
        std::ranges::replace(chip, config::CoreKind::Rtl, config::CoreKind::Fast);
    return server;
}

// Runs as many ranks as the kernel's collectives are for, else one. Rank 0 has a core of the point's
// fidelity, the others are fast. Inputs of rank r have the seed plus r.
PointResult run_on_server(const Point& point, const RunSettings& settings) {
    neff::Package package = package_of(point);
    const std::uint32_t ranks = neff::ranks_of(package).value_or(1);
    const std::uint32_t first = 0;
    const bool rtl = point.fidelity == runtime::Fidelity::Rtl;
    runtime::Session session(runtime::for_ranks(with_fast_cores(*point.server), ranks,
                                                {&first, rtl ? std::size_t{1} : std::size_t{0}}));
    const runtime::ModelId model = session.load(std::move(package));
    std::vector<runtime::Contents> inputs;
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
        inputs.push_back(random_contents(session.package(model, rank), settings.seed + rank));
    waves::ServerRecordingOutputs recorded(settings.trace, settings.wave);
    const runtime::Results run =
        waves::execute(session, model, inputs,
                       {.rounding = rounding_of(point, settings), .takes_outputs = true}, recorded.files());
    recorded.commit();
    if (!run.done()) throw std::runtime_error(run.message);
    PointResult result =
        result_of(run.of(0), point.config, figures_of(session.linked_server().network(), run),
                  runtime::energy_of_ranks(run, point.config, estimates::load_tables()));
    if (settings.check) {
        for (const std::string& line : trial::differences(session, model, inputs, run))
            result.reason += (result.reason.empty() ? "" : "; ") + line;
    }
    result.status = result.reason.empty() ? Status::Ok : Status::Mismatch;
    return result;
}

}  // namespace

PointResult run_point(const Point& point, const RunSettings& settings) {
    if (!settings.core.empty()) ::setenv("TRNSIM_CORE_PATH", settings.core.c_str(), 1);
    return point.server ? run_on_server(point, settings) : run_on_core(point, settings);
}

}  // namespace trnsim::sweep
