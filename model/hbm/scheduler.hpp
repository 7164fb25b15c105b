// The scheduler decides which banks may be served next.
#pragma once

#include <memory>
#include <string_view>

#include "model/hbm/queue.hpp"

namespace trnsim::tlm::hbm {

// Row hits go first, then the oldest entry. When an entry has waited too long, only that entry, the oldest of
// its queue, is served. A scheduler says how long that is.
class Scheduler {
  public:
    virtual ~Scheduler() = default;
    // Returns the time from which nothing may go before `oldest`.
    virtual Cycle reorders_until(const Entry& oldest) const = 0;
};

// First ready, first come first served: row hits first, then the oldest; an entry that has waited for
// `max_wait` goes before all others.
std::unique_ptr<Scheduler> make_fr_fcfs(Cycle max_wait);
// First come, first served.
std::unique_ptr<Scheduler> make_fcfs();

// `name` is "fr_fcfs" or "fcfs"; throws std::invalid_argument for any other.
std::unique_ptr<Scheduler> make_scheduler(std::string_view name, Cycle max_wait);

}  // namespace trnsim::tlm::hbm
