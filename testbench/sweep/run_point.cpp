#include "testbench/sweep/run_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

#include "testbench/runtime/chip_machine.hpp"
#include "testbench/runtime/runner.hpp"
#include "testbench/sweep/metrics.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::sweep {
namespace {

constexpr std::array<std::string_view, 4> StatusNames{"ok", "mismatch", "failed", "timeout"};

// What differs between the outputs and the interpreter's; empty: nothing.
std::string differences(const trial::Trial& trial, const runtime::Arrays& outputs) {
    std::string text;
    for (const trial::Difference& one : trial::differences(trial.package, trial::interpret(trial), outputs))
        text += (text.empty() ? "" : "; ") + trial::describe(trial.package, one);
    return text;
}

}  // namespace

std::string_view name_of(Status status) {
    return StatusNames[static_cast<std::size_t>(status)];
}

Status status_of(std::string_view name) {
    const auto* found = std::ranges::find(StatusNames, name);
    if (found == StatusNames.end()) throw std::runtime_error(fmt::format("no status '{}'", name));
    return static_cast<Status>(found - StatusNames.begin());
}

Result run_point(const Point& point, const RunSettings& settings) {
    if (!settings.core.empty()) ::setenv("TRNSIM_CORE_PATH", settings.core.c_str(), 1);
    const trial::Trial trial = trial::make_trial(point.config, point.kernel, point.arguments, settings.seed);
    runtime::Observer observer(trial.package, nullptr);
    const runtime::Prepared prepared = trial::prepare(trial);
    runtime::ChipMachine machine(point.config, &observer);
    const runtime::Result run = runtime::execute(machine, trial.package, prepared, observer);
    if (!run.done()) throw std::runtime_error(run.message);
    Result result;
    result.rtl_hash = run.core.rtl_hash;
    result.verilator = run.core.verilator;
    for (const Metric& metric : metrics()) result.metrics.emplace(metric.name, metric.of(run.figures));
    if (settings.check) result.reason = differences(trial, run.outputs);
    result.status = result.reason.empty() ? Status::Ok : Status::Mismatch;
    return result;
}

}  // namespace trnsim::sweep
