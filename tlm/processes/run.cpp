#include "tlm/processes/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "lib/base/jobs/pool.hpp"
#include "tlm/processes/sockets.hpp"

namespace trnsim::tlm::processes {
namespace {

constexpr std::chrono::seconds Grace{10};  // for the others when one has failed
constexpr double LooksASecond = 20;

// First character of what a process returns.
constexpr char Returned = 'r', Threw = 't', SawEnd = 'e';

std::string do_work(Mesh& mesh, unsigned rank, const std::function<std::string(Exchange&)>& work) {
    try {
        const auto exchange = mesh.join(rank);
        return Returned + work(*exchange);
    } catch (const Ended& ended) {
        return SawEnd + std::string(ended.what());
    } catch (const std::exception& error) {
        return Threw + std::string(error.what());
    }
}

// Why the simulation has failed: that a process saw another one end is the least of reasons.
class Reasons {
  public:
    void add(unsigned rank, unsigned count, const jobs::Outcome& outcome) {
        if (!outcome.returned()) {
            keep(died_,
                 count == 1 ? outcome.text : fmt::format("process {} of {}: {}", rank, count, outcome.text));
        } else if (outcome.text[0] == Threw) {
            keep(threw_, outcome.text.substr(1));
        } else if (outcome.text[0] == SawEnd) {
            keep(saw_end_, outcome.text.substr(1));
        }
    }
    const std::optional<std::string>& worst() const { return died_ ? died_ : threw_ ? threw_ : saw_end_; }

  private:
    static void keep(std::optional<std::string>& reason, const std::string& text) {
        if (!reason) reason = text;
    }

    std::optional<std::string> died_, threw_, saw_end_;
};

}  // namespace

std::string run(unsigned count, const std::function<std::string(Exchange&)>& work) {
    using Clock = std::chrono::steady_clock;
    Mesh mesh(count);
    Reasons reasons;
    std::optional<Clock::time_point> failed_at;
    std::string result;
    jobs::run_all(
        count,
        [&](std::size_t rank) {
            return jobs::Job{.work = [&, rank] { return do_work(mesh, static_cast<unsigned>(rank), work); },
                             .capture = false};
        },
        [&](std::size_t rank, const jobs::Outcome& outcome) {
            reasons.add(static_cast<unsigned>(rank), count, outcome);
            if (reasons.worst() && !failed_at) failed_at = Clock::now();
            if (rank == 0 && outcome.returned()) result = outcome.text.substr(1);
        },
        {.workers = count,
         .tick =
             [&] {
                 mesh.close();
                 return !failed_at || Clock::now() < *failed_at + Grace;
             },
         .ticks_a_second = LooksASecond});
    if (reasons.worst()) throw Error(*reasons.worst());
    return result;
}

}  // namespace trnsim::tlm::processes
