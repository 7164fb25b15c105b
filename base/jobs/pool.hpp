// Many jobs, several at a time, each in a process of its own.
#pragma once

#include <cstddef>
#include <functional>

#include "base/jobs/process.hpp"

namespace trnsim::jobs {

struct PoolOptions {
    std::size_t workers = 1;  // jobs at a time, at least 1
    // Called about `ticks_a_second` times while jobs run; returning false ends the running jobs and starts no
    // further ones.
    std::function<bool()> tick{};
    double ticks_a_second = 4;
};

// Starts jobs 0 to count - 1 in this order; calls `job(i)` just before it starts job i. Calls done(i,
// outcome) in this process in the order in which the jobs end. Returns false when `tick` ended it; jobs cut
// short are not reported.
bool run_all(std::size_t count, const std::function<Job(std::size_t)>& job,
             const std::function<void(std::size_t, const Outcome&)>& done, const PoolOptions& options);

}  // namespace trnsim::jobs
