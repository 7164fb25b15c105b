#include "model/processes/run.hpp"

#include <chrono>
#include <optional>

#include "base/jobs/pool.hpp"
#include "model/processes/ending.hpp"
#include "model/processes/sockets.hpp"

namespace trnsim::tlm::processes {
namespace {

constexpr std::chrono::seconds Grace{10};  // time for the others to end after one has failed
constexpr double LooksASecond = 20;

}  // namespace

std::string run(unsigned count, const std::function<std::string(Exchange&)>& work,
                const std::function<bool()>& goes_on) {
    using Clock = std::chrono::steady_clock;
    Mesh mesh(count);
    Reasons reasons;
    std::optional<Clock::time_point> failed_at;
    std::string result;
    bool stopped = false;
    const auto do_work = [&](unsigned rank) { return job_text([&] { return work(*mesh.join(rank)); }); };
    jobs::run_all(
        count,
        [&](std::size_t rank) {
            return jobs::Job{.work = [&, rank] { return do_work(static_cast<unsigned>(rank)); },
                             .capture = false};
        },
        [&](std::size_t rank, const jobs::Outcome& outcome) {
            Ending ending = ending_of(static_cast<unsigned>(rank), count, outcome);
            if (rank == 0 && ending.end == End::Returned) result = ending.text;
            reasons.add(std::move(ending));
            if (reasons.any() && !failed_at) failed_at = Clock::now();
        },
        {.workers = count,
         .tick =
             [&] {
                 mesh.close();
                 stopped = goes_on && !goes_on();
                 if (stopped) return false;
                 return !failed_at || Clock::now() < *failed_at + Grace;
             },
         .ticks_a_second = LooksASecond});
    if (stopped) throw Stopped("stopped before the end");
    if (reasons.any()) reasons.fail();
    return result;
}

}  // namespace trnsim::tlm::processes
