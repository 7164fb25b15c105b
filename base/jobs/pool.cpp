#include "base/jobs/pool.hpp"

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace trnsim::jobs {
namespace {

struct Running {
    std::size_t index;
    std::unique_ptr<Process> process;
};

// Waits until a job has output or has ended, at most `seconds`.
void wait(const std::vector<Running>& running, double seconds) {
    std::vector<pollfd> files;
    for (const Running& job : running) {
        for (const int descriptor : job.process->descriptors()) {
            if (descriptor >= 0) files.push_back({descriptor, POLLIN, 0});
        }
        seconds = std::min(seconds, job.process->seconds_left());
    }
    const auto milliseconds = static_cast<int>(std::ceil(1000 * std::max(seconds, 0.0)));
    ::poll(files.data(), files.size(), milliseconds);
}

}  // namespace

bool run_all(std::size_t count, const std::function<Job(std::size_t)>& job,
             const std::function<void(std::size_t, const Outcome&)>& done, const PoolOptions& options) {
    using Clock = std::chrono::steady_clock;
    const std::chrono::duration<double> period(1 / options.ticks_a_second);
    auto next_tick = Clock::now();
    std::vector<Running> running;
    for (std::size_t next = 0; next < count || !running.empty();) {
        while (next < count && running.size() < std::max<std::size_t>(options.workers, 1)) {
            running.push_back({next, std::make_unique<Process>(job(next))});
            ++next;
        }
        if (Clock::now() >= next_tick) {
            if (options.tick && !options.tick()) return false;
            next_tick = Clock::now() + std::chrono::duration_cast<Clock::duration>(period);
        }
        wait(running, std::chrono::duration<double>(next_tick - Clock::now()).count());
        std::vector<Running> ended;
        for (Running& job : running) {
            if (job.process->poll()) ended.push_back(std::move(job));
        }
        std::erase_if(running, [](const Running& job) { return job.process == nullptr; });
        for (const Running& job : ended) done(job.index, job.process->outcome());
    }
    return true;
}

}  // namespace trnsim::jobs
