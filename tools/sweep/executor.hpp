// Executors run the points of a sweep.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/sweep/store.hpp"

namespace trnsim::sweep {

// A point that is to run.
struct Pending {
    std::size_t index;           // index in the plan
    std::string identity;        // key in the store
    std::filesystem::path core;  // folder with its core
    Origin origin;               // origin of its result
};

struct Batch {
    const Sweep& sweep;
    const Plan& plan;
    const Store& store;
    std::vector<Pending> pending;
};

class Executor {
  public:
    virtual ~Executor() = default;
    // Runs the pending points, puts every result into the store and calls `done` in the order in which
    // results arrive. `tick` is called several times a second; if it returns false, all runs are ended and
    // this returns false.
    using Done = std::function<void(std::size_t index, const PointResult& result)>;
    virtual bool run(const Batch& work, const Done& done, const std::function<bool()>& tick) = 0;
};

// Runs points in processes of this machine, `jobs` at a time.
std::unique_ptr<Executor> local_executor(std::size_t jobs);

// Runs points as an array job of Slurm with at most `tasks` tasks. Each task is this program with the same
// sweep, folder and a share of the points. The nodes must be able to reach the folder, the sweep file and the
// cache of cores.
std::unique_ptr<Executor> slurm_executor(std::size_t tasks);

// Returns the points that task `task` of `tasks` of a submitted array is to run. Throws files::Error.
std::vector<std::size_t> share_of_task(const Store& store, std::size_t task, std::size_t tasks);

// Returns the command that submits an array of `tasks` tasks; their output goes to FOLDER/slurm.
std::vector<std::string> sbatch_command(const Batch& work, const std::string& program, std::size_t tasks);

}  // namespace trnsim::sweep
