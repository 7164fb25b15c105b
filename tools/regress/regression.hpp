// Builds the cores that a list needs and runs its cases in processes of their own, several at a time;
// failures are run once more, one at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session/machine_factory.hpp"
#include "testbench/coverage/plan.hpp"
#include "testbench/coverage/report.hpp"
#include "tools/regress/baseline.hpp"
#include "tools/regress/list.hpp"
#include "tools/regress/result.hpp"
#include "tools/sweep/core_set.hpp"

namespace trnsim::regress {

constexpr std::size_t MaxReruns = 20;  // at most this many failures are run again

struct Progress {
    std::size_t cores_built = 0, cores = 0;  // cores that have to be built before the first test
    std::optional<double> core_seconds{};    // of the last build of a core before; nothing if unknown
    std::size_t completed = 0, total = 0, failed = 0;
    double seconds = 0;
    bool reruns = false;  // true if these figures count the failures that are run again
};

struct Options {
    std::size_t jobs = 1;
    std::filesystem::path folder;  // folder of waveforms and logs
    runtime::MachineFactory machine;
    const coverage::Plan* plan = nullptr;
    std::string plan_text{};      // text of the plan's file
    double coverage_minimum = 0;  // % of the plan
    Baseline baseline;
    EngineBaseline engines{};
    bool resume = false;  // results of an earlier run in the folder are taken
    // Called several times a second; returning false ends the regression.
    std::function<bool(const Progress&)> observer;
};

struct Summary {
    std::string name;
    std::vector<CaseResult> results;  // by case
    std::optional<coverage::Report> coverage;
    double coverage_minimum = 0;  // % to reach; 0 if only some tests ran
    bool complete = true;         // false if the observer ended it
    std::size_t kept = 0;         // results of an earlier run
    double seconds = 0;
    std::vector<std::string> core_choices{};  // of sweep::CoreSet

    std::size_t failed() const;
    std::size_t ran() const;  // those with a result
    // Describes what is wrong with the coverage; empty if nothing is.
    std::string coverage_failure() const;
    bool passed() const { return complete && failed() == 0 && coverage_failure().empty(); }
};

// Throws files::Error when the folder cannot be written.
Summary run(const List& list, const Options& options);

}  // namespace trnsim::regress
