#include "testbench/sweep/run_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

#include "testbench/builder/target.hpp"
#include "testbench/functional/machine.hpp"
#include "testbench/kernels/registry.hpp"
#include "testbench/runtime/chip_machine.hpp"
#include "testbench/runtime/runner.hpp"
#include "testbench/runtime/tensor_io.hpp"
#include "testbench/sweep/inputs.hpp"
#include "testbench/sweep/metrics.hpp"

namespace trnsim::sweep {
namespace {

constexpr std::array<std::string_view, 4> StatusNames{"ok", "mismatch", "failed", "timeout"};

using Contents = std::map<std::string, std::vector<std::uint8_t>>;

// What differs between the outputs and the interpreter's; empty: nothing.
std::string differences(const neff::Package& package, const Contents& inputs,
                        const runtime::Arrays& outputs) {
    functional::Machine golden(package);
    for (const auto& [name, bytes] : inputs) golden.set(name, bytes);
    golden.run();
    std::string text;
    for (const neff::Tensor& tensor : package.tensors) {
        if (!neff::is_output(tensor.kind)) continue;
        const std::vector<std::uint8_t>&expected = golden.get(tensor.name),
              &got = outputs.at(tensor.name).data;
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) wrong += i >= got.size() || got[i] != expected[i];
        if (wrong != 0) {
            text += fmt::format("{}output {}: {} of {} bytes differ from the interpreter's",
                                text.empty() ? "" : "; ", tensor.name, wrong, expected.size());
        }
    }
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
    const neff::Package package =
        kernels::build_kernel(point.kernel, point.arguments, builder::target_of(point.config));
    Contents contents;
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
    if (settings.check) result.reason = differences(package, contents, run.outputs);
    result.status = result.reason.empty() ? Status::Ok : Status::Mismatch;
    return result;
}

}  // namespace trnsim::sweep
