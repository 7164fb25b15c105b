// One case: a kernel or random programs on the simulated machine and in the interpreter.
#pragma once

#include <optional>

#include "runtime/session/machine_factory.hpp"
#include "testbench/coverage/plan.hpp"
#include "tools/regress/list.hpp"
#include "tools/regress/result.hpp"
#include "tools/sweep/core_set.hpp"

namespace trnsim::regress {

constexpr const char* TraceEnding = ".trace.json";

// What is written beside running: a waveform, what GTKWave needs to show it, a trace, and, so that `trnsim
// run` repeats the run, the kernel; random programs with their inputs.
struct Evidence {
    std::filesystem::path stem;  // of the files: STEM.fst, STEM.trace.json, STEM.neff, STEM-INPUT.npy
    std::vector<std::string> scopes{};
    std::uint64_t first_cycle = 0, last_cycle = 0;
    std::string view{};
    std::uint64_t place = 0;  // core cycle of the marker
    std::optional<std::uint32_t> lane{};
};

struct RunSettings {
    runtime::MachineFactory machine;
    const coverage::Plan* plan = nullptr;  // whose bins to count; null: none
    std::optional<Evidence> evidence{};
    bool diagnose = false;  // looks for the first wrong instruction of a mismatch
    // What the configuration runs on; null: the program looks for it.
    const sweep::PlannedCore* core = nullptr;
};

// What the diagnosis of a mismatch may take, of the time limit of its case, after the run itself.
constexpr double DiagnosisTime = 3;

// To be called once in a process. What goes wrong is in the result.
CaseResult run_case(const Case& one, const config::Config& config, const RunSettings& settings);

}  // namespace trnsim::regress
