#include "base/jobs/pool.hpp"
#include "tools/sweep/executor.hpp"

namespace trnsim::sweep {
namespace {

// Replaces newlines, as reasons take one line.
std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n' || c == '\r') c = ' ';
    return text;
}

PointResult result_of(const jobs::Outcome& outcome) {
    using enum jobs::Outcome::Kind;
    PointResult result;
    if (outcome.kind == Returned) {
        result = from_text(outcome.text);
    } else {
        result.status = outcome.kind == TimedOut ? Status::Timeout : Status::Failed;
        result.reason = one_line(outcome.explanation());
    }
    result.wall_seconds = outcome.wall_seconds;
    result.cpu_seconds = outcome.cpu_seconds;
    return result;
}

class Local final : public Executor {
  public:
    explicit Local(std::size_t jobs) : jobs_(jobs) {}

    bool run(const Batch& work, const Done& done, const std::function<bool()>& tick) override {
        const auto job = [&work](std::size_t i) {
            const Pending& pending = work.pending[i];
            const Point& point = work.plan.points[pending.index];
            const RunSettings settings{
                .seed = work.sweep.seed,
                .check = work.sweep.check,
                .core = pending.core,
                .trace = work.sweep.trace ? work.store.file_of(Recording::Trace, pending.identity) : "",
                .wave = work.sweep.wave ? work.store.file_of(Recording::Wave, pending.identity) : ""};
            return jobs::Job{.work = [&point, settings] { return to_text(run_point(point, settings)); },
                             .time_limit = work.sweep.time_limit};
        };
        const auto ended = [&](std::size_t i, const jobs::Outcome& outcome) {
            PointResult result = result_of(outcome);
            result.origin = work.pending[i].origin;
            work.store.put(work.pending[i].identity, result);
            done(work.pending[i].index, result);
        };
        return jobs::run_all(work.pending.size(), job, ended, {.workers = jobs_, .tick = tick});
    }

  private:
    std::size_t jobs_;
};

}  // namespace

std::unique_ptr<Executor> local_executor(std::size_t jobs) {
    return std::make_unique<Local>(jobs);
}

}  // namespace trnsim::sweep
