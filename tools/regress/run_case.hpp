// Runs one case: a kernel or random programs on the simulated machine and in the interpreter.
#pragma once

#include <optional>

#include "runtime/session/machine_factory.hpp"
#include "testbench/coverage/plan.hpp"
#include "tools/regress/list.hpp"
#include "tools/regress/result.hpp"
#include "tools/sweep/core_set.hpp"

namespace trnsim::regress {

constexpr const char* TraceEnding = ".trace.json";

// The files that a run leaves as evidence: a waveform, a save file with which GTKWave shows it, a trace, and
// the kernel, so that `trnsim run` repeats the run; for random programs also their inputs.
struct Evidence {
    std::filesystem::path stem;  // stem of the files: STEM.fst, STEM.trace.json, STEM.neff, STEM-INPUT.npy
    std::vector<std::string> scopes{};
    std::uint64_t first_cycle = 0, last_cycle = 0;
    std::string view{};
    std::uint64_t place = 0;  // core cycle of the marker
    std::optional<std::uint32_t> lane{};
};

struct RunSettings {
    runtime::MachineFactory machine;
    const coverage::Plan* plan = nullptr;  // plan with the bins to count; null if none
    std::optional<Evidence> evidence{};
    bool diagnose = false;  // looks for the first wrong instruction of a mismatch
    // The element whose write the run looks for. If it sees it, its cycle is the place of the failure, the
    // result has the element, and a waveform has rows for it.
    std::optional<WrongElement> element{};
    // The core of the configuration; if null, the program looks for it.
    const sweep::PlannedCore* core = nullptr;
};

// Time for the diagnosis of a mismatch after the run itself, as a multiple of the case's time limit.
constexpr double DiagnosisTime = 3;

// Builds the case and writes STEM.neff, and for random programs their inputs, without running it. Throws
// std::exception.
void keep_kernel(const Case& one, const config::Config& config, const std::filesystem::path& stem);

// Call once in a process. Errors are in the result.
CaseResult run_case(const Case& one, const config::Config& config, const RunSettings& settings);

}  // namespace trnsim::regress
