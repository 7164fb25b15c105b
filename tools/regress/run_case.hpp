// One case: a kernel or random programs on the simulated machine and in the interpreter.
#pragma once

#include <optional>

#include "lib/runtime/machine_factory.hpp"
#include "testbench/coverage/plan.hpp"
#include "tools/regress/list.hpp"
#include "tools/regress/result.hpp"
#include "tools/sweep/core_set.hpp"

namespace trnsim::regress {

struct RunSettings {
    runtime::MachineFactory machine;
    const coverage::Plan* plan = nullptr;  // whose bins to count; null: none
    std::optional<runtime::WaveRequest> wave{};
    const sweep::PlannedCore* core =
        nullptr;  // what the configuration runs on; null: the program looks for it
};

// To be called once in a process. What goes wrong is in the result.
Result run_case(const Case& one, const config::Config& config, const RunSettings& settings);

}  // namespace trnsim::regress
