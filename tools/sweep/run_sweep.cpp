#include "tools/sweep/run_sweep.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/files/files.hpp"
#include "tools/sweep/core_set.hpp"
#include "tools/sweep/report.hpp"

namespace trnsim::sweep {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Allows one sweep at a time in a folder.
class FolderLock {
  public:
    explicit FolderLock(const std::filesystem::path& folder)
        : file_(::open((folder / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
        if (file_ < 0) throw files::Error(fmt::format("{}: cannot be written", folder.string()));
        // Processes of a killed sweep also hold the lock until they have ended.
        for (int i = 0; i < Attempts; ++i) {
            if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        ::close(file_);
        throw std::runtime_error(
            fmt::format("{}: another sweep is at work there, expected another folder", folder.string()));
    }
    ~FolderLock() { ::close(file_); }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    static constexpr int Attempts = 20;
    int file_;
};

PointResult failure(const std::string& reason) {
    PointResult result;
    result.reason = reason;
    return result;
}

// Returns the configurations of the points that need a verilated core.
std::vector<config::Config> configs_of(const Plan& plan) {
    std::vector<config::Config> configs;
    for (const Point& point : plan.points)
        if (point.impossible.empty() && point.fidelity == runtime::Fidelity::Rtl)
            configs.push_back(point.config);
    return configs;
}

const PlannedCore& core_of(const CoreSet& cores, const Point& point) {
    static const PlannedCore part_of_the_program{};
    return point.fidelity == runtime::Fidelity::Rtl ? cores.of(point.config) : part_of_the_program;
}

// Returns the folder of the results. Throws files::Error if it has files of their names that no sweep wrote.
std::filesystem::path checked(const std::filesystem::path& folder) {
    std::error_code unreachable;
    const auto has = [&](const char* name) { return std::filesystem::exists(folder / name, unreachable); };
    if (has("points") && has("lock")) return folder;
    for (const char* name : {"results.csv", "results.json", "report.html"})
        if (has(name))
            throw files::Error(
                fmt::format("{}: was not written by a sweep, which would replace it, expected another "
                            "folder for the results (-o)",
                            (folder / name).string()));
    return folder;
}

class Run {
  public:
    Run(const Sweep& sweep, const Plan& plan, const SweepOptions& options, const SweepObserver& observer)
        : sweep_(sweep),
          plan_(plan),
          options_(options),
          observer_(observer),
          store_(checked(options.folder)),
          lock_(options.folder),
          cores_(configs_of(plan)) {
        if (!options.resume && !store_.empty()) {
            throw std::runtime_error(
                fmt::format("{}: holds results of a sweep, expected --resume or another folder",
                            options.folder.string()));
        }
        store_.clean();
        summary_.points = plan.points.size();
        summary_.filtered = plan.filtered;
        summary_.results.resize(plan.points.size());
        identities_.resize(plan.points.size());
    }

    SweepSummary run(Executor& executor) {
        build();
        if (summary_.complete) execute(executor);
        store_.clean();  // removes leftovers of points that were ended
        write_tables();
        for (const auto& result : summary_.results)
            if (result) ++summary_.count[static_cast<std::size_t>(result->status)];
        files::write(options_.folder / "report.html", report(to_json(sweep_, plan_, summary_.results)));
        return std::move(summary_);
    }

  private:
    void build() {
        const Clock::time_point start = Clock::now();
        progress_.cores = summary_.cores_built = cores_.missing();
        progress_.core_seconds = cores_.last_build_seconds();
        summary_.cores = cores_.size();
        summary_.complete = cores_.build_missing(options_.jobs, options_.folder, [this](std::size_t built) {
            progress_.cores_built = built;
            return observer_(progress_);
        });
        summary_.build_seconds = seconds_since(start);
        summary_.core_choices = cores_.choices();
    }

    void execute(Executor& executor) {
        Batch work{sweep_, plan_, store_, {}};
        for (std::size_t i = 0; i < plan_.points.size(); ++i) settle(i, work.pending);
        progress_.pending = work.pending.size();
        const Clock::time_point start = Clock::now();
        Clock::time_point written = start;
        const auto tick = [&] {
            progress_.seconds = seconds_since(start);
            if (changed_ && seconds_since(written) > SecondsBetweenTables) {
                write_tables();
                written = Clock::now();
            }
            return observer_(progress_);
        };
        const auto done = [this](std::size_t index, const PointResult& result) {
            summary_.results[index] = result;
            summary_.results[index]->recordings = store_.recordings(identities_[index]);
            summary_.cpu_seconds += result.cpu_seconds;
            ++progress_.completed;
            progress_.failed += result.status != Status::Ok;
            changed_ = true;
        };
        summary_.complete = executor.run(work, done, tick);
        summary_.run_seconds = seconds_since(start);
    }

    // Points that need not or cannot run get their result; the others become pending.
    void settle(std::size_t index, std::vector<Pending>& pending) {
        const Point& point = plan_.points[index];
        auto& result = summary_.results[index];
        if (!point.impossible.empty()) {
            result = failure(point.impossible);
            return;
        }
        const PlannedCore& core = core_of(cores_, point);
        if (!core.error.empty()) {
            result = failure(core.error);
            return;
        }
        const std::string name = identities_[index] = identity(sweep_, point);
        const Origin origin = origin_of(core.origin, point.own.get());
        result = store_.find(name);
        const std::string changed = result ? difference(result->origin, origin) : "";
        if (!changed.empty()) {
            ++summary_.outdated[changed];
            store_.remove(name);
            result.reset();
        }
        if (result) result->recordings = store_.recordings(name);
        if (result && has_recordings(*result)) {
            ++summary_.kept;
        } else {
            result.reset();
            pending.push_back({index, name, core.folder, origin});
        }
    }

    // Returns whether the recordings that the sweep asks for exist.
    bool has_recordings(const PointResult& result) const {
        return (!sweep_.trace || result.recordings.contains("trace")) &&
               (!sweep_.wave || result.recordings.contains("wave"));
    }

    void write_tables() {
        files::write(options_.folder / "results.csv", to_csv(sweep_, plan_, summary_.results));
        files::write(options_.folder / "results.json", to_json(sweep_, plan_, summary_.results));
        changed_ = false;
    }

    static constexpr double SecondsBetweenTables = 1;

    const Sweep& sweep_;
    const Plan& plan_;
    const SweepOptions& options_;
    const SweepObserver& observer_;
    Store store_;
    FolderLock lock_;
    CoreSet cores_;
    SweepProgress progress_;
    SweepSummary summary_;
    std::vector<std::string> identities_;  // by point
    bool changed_ = false;                 // true if there are results newer than the tables
};

}  // namespace

SweepSummary run_sweep(const Sweep& sweep, const Plan& plan, const SweepOptions& options, Executor& executor,
                       const SweepObserver& observer) {
    return Run(sweep, plan, options, observer).run(executor);
}

void run_task(const Sweep& sweep, const Plan& plan, const std::filesystem::path& folder, std::size_t task,
              std::size_t tasks) {
    if (task >= tasks)
        throw std::runtime_error(
            fmt::format("--task {} of --tasks {}: expected less than that", task, tasks));
    const Store store(folder);
    CoreSet cores(configs_of(plan));
    cores.build_missing(1, folder, [](std::size_t) { return true; });
    Batch work{sweep, plan, store, {}};
    for (const std::size_t index : share_of_task(store, task, tasks)) {
        const Point& point = plan.points.at(index);
        const PlannedCore& core = core_of(cores, point);
        const std::string name = identity(sweep, point);
        if (core.error.empty()) {
            work.pending.push_back({index, name, core.folder, origin_of(core.origin, point.own.get())});
        } else {
            store.put(name, failure(core.error));
        }
    }
    local_executor(1)->run(
        work, [](std::size_t, const PointResult&) {}, [] { return true; });
}

}  // namespace trnsim::sweep
