#include "tools/sweep/run_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>

#include "lib/base/files/files.hpp"
#include "lib/runtime/chip_machine.hpp"
#include "lib/runtime/relay.hpp"
#include "lib/runtime/runner.hpp"
#include "lib/runtime/trace_writer.hpp"
#include "lib/waves/recorder.hpp"
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

// Runs the kernel and writes what is to be recorded.
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

}  // namespace

PointResult run_point(const Point& point, const RunSettings& settings) {
    if (!settings.core.empty()) ::setenv("TRNSIM_CORE_PATH", settings.core.c_str(), 1);
    const trial::Trial trial =
        point.own
            ? trial::make_trial(point.config, trial::package_of(*point.own, point.config), settings.seed)
            : trial::make_trial(point.config, point.kernel, point.arguments, settings.seed);
    runtime::Prepared prepared = trial::prepare(trial);
    prepared.rounding = {point.stochastic, static_cast<std::uint32_t>(settings.seed)};
    const runtime::Result run = simulate(point, trial.package, prepared, settings);
    if (!run.done()) throw std::runtime_error(run.message);
    PointResult result;
    result.rtl_hash = run.core.rtl_hash;
    result.verilator = run.core.verilator;
    const runtime::Estimates estimates =
        runtime::estimate(run.figures, point.config, estimates::load_tables());
    for (const Metric& metric : metrics()) {
        if (const auto value = metric.value(run.figures, estimates))
            result.metrics.emplace(metric.name, *value);
    }
    if (settings.check) {
        const trial::Contents expected =
            trial::interpret(trial, {.adversary = functional::Adversary::Latest,
                                     .rounding = {prepared.rounding.stochastic, prepared.rounding.seed}});
        for (const trial::Difference& difference : trial::differences(trial.package, expected, run.outputs))
            result.reason += (result.reason.empty() ? "" : "; ") + trial::describe(trial.package, difference);
    }
    result.status = result.reason.empty() ? Status::Ok : Status::Mismatch;
    return result;
}

}  // namespace trnsim::sweep
