// Runs a sweep from plan to report.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/sweep/executor.hpp"
#include "tools/sweep/tables.hpp"

namespace trnsim::sweep {

struct SweepOptions {
    std::filesystem::path folder;  // folder of the results
    std::size_t jobs = 1;          // number of builds, and of points of the local executor, at a time
    bool resume = false;           // the folder may hold results; valid ones are kept
};

struct SweepProgress {
    std::size_t cores_built = 0, cores = 0;  // cores that have to be built
    std::optional<double> core_seconds{};    // of the last build of a core before; nothing if unknown
    std::size_t completed = 0, pending = 0;  // points of this run
    std::size_t failed = 0;                  // points among the completed ones that are not ok
    double seconds = 0;                      // since the start of the first point of this run
};

// Called several times a second; returning false ends the sweep with what there is.
using SweepObserver = std::function<bool(const SweepProgress&)>;

struct SweepSummary {
    std::size_t points = 0, kept = 0, filtered = 0;
    std::map<std::string, std::size_t>
        outdated;                            // number of results that were run again, by what had changed
    std::size_t count[4] = {};               // points by Status
    std::size_t cores = 0, cores_built = 0;  // cores that the points need; those that were not in the cache
    std::vector<std::string> core_choices;   // of CoreSet
    double build_seconds = 0, run_seconds = 0;  // wall time
    double cpu_seconds = 0;                     // of the points that ran
    bool complete = true;
    Results results;
};

// Builds the missing cores, runs the points without a lasting result, keeps results.csv and results.json in
// the folder up to date and writes report.html at the end. Throws std::exception for a folder that cannot be
// used.
SweepSummary run_sweep(const Sweep& sweep, const Plan& plan, const SweepOptions& options, Executor& executor,
                       const SweepObserver& observer);

// Runs task `task` of `tasks` of an array job: its share of the points, with results into the store.
void run_task(const Sweep& sweep, const Plan& plan, const std::filesystem::path& folder, std::size_t task,
              std::size_t tasks);

}  // namespace trnsim::sweep
