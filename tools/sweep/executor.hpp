// Where points run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/sweep/store.hpp"

namespace trnsim::sweep {

// A point that is to run.
struct Pending {
    std::size_t index;           // in the plan
    std::string identity;        // for the store
    std::filesystem::path core;  // folder with its core
    Origin origin;               // of the result to come
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
    // Runs what is pending, puts every result into the store and tells `done` in the order in which they
    // arrive. `tick` is called several times a second; returning false ends everything. Returns false then.
    using Done = std::function<void(std::size_t index, const PointResult& result)>;
    virtual bool run(const Batch& work, const Done& done, const std::function<bool()>& tick) = 0;
};

// In processes of this machine, `jobs` at a time.
std::unique_ptr<Executor> local_executor(std::size_t jobs);

// As an array job of Slurm with at most `tasks` tasks, each of which is this program with the same sweep,
// folder and a share of the points. The folder, the sweep file and the cache of cores must be reachable from
// the nodes.
std::unique_ptr<Executor> slurm_executor(std::size_t tasks);

// The points that task `task` of `tasks` of a submitted array is to run. Throws files::Error.
std::vector<std::size_t> share_of_task(const Store& store, std::size_t task, std::size_t tasks);

// The command that submits an array of `tasks` tasks, whose output goes to FOLDER/slurm.
std::vector<std::string> sbatch_command(const Batch& work, const std::string& program, std::size_t tasks);

}  // namespace trnsim::sweep
