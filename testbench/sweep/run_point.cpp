#include "testbench/sweep/run_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

#include "testbench/builder/target.hpp"
#include "testbench/kernels/registry.hpp"
#include "testbench/runtime/chip_machine.hpp"
#include "testbench/runtime/runner.hpp"
#include "testbench/runtime/tensor_io.hpp"
#include "testbench/sweep/check_outputs.hpp"
#include "testbench/sweep/inputs.hpp"
#include "testbench/sweep/metrics.hpp"

namespace trnsim::sweep {
namespace {

constexpr std::array<std::string_view, 4> StatusNames{"ok", "mismatch", "failed", "timeout"};

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
    const neff::Package package =
        kernels::build_kernel(point.kernel, point.arguments, builder::target_of(point.config));
    TensorContents contents;
    runtime::Arrays inputs;
    for (const neff::Tensor& tensor : package.tensors) {
        if (!neff::is_input(tensor.kind)) continue;
        const auto& bytes = contents[tensor.name] = random_input(package, tensor, settings.seed);
        inputs.emplace(tensor.name, runtime::from_device(tensor, bytes));
    }
    runtime::Observer observer(package, nullptr);
    const runtime::Prepared prepared = runtime::prepare(package, point.config, inputs);
    runtime::ChipMachine machine(point.config, &observer);
    const runtime::Result run = runtime::execute(machine, package, prepared, observer);
    if (!run.done()) throw std::runtime_error(run.message);
    Result result;
    result.rtl_hash = run.core.rtl_hash;
    result.verilator = run.core.verilator;
    const runtime::Estimates estimates =
        runtime::estimate(run.figures, point.config, estimates::load_tables());
    for (const Metric& metric : metrics())
        result.metrics.emplace(metric.name, metric.value(run.figures, estimates));
    if (settings.check) result.reason = output_differences(package, contents, run.outputs);
    result.status = result.reason.empty() ? Status::Ok : Status::Mismatch;
    return result;
}

}  // namespace trnsim::sweep
