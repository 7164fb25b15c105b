// Which banks may be served next.
#pragma once

#include <memory>
#include <string_view>

#include "model/hbm/queue.hpp"

namespace trnsim::tlm::hbm {

// Row hits go first, then the oldest entry, until an entry has waited too long: then nothing but that one, the
// oldest of its queue, is served. A scheduler says how long that is.
class Scheduler {
  public:
    virtual ~Scheduler() = default;
    // When nothing may go before `oldest` any more.
    virtual Cycle reorders_until(const Entry& oldest) const = 0;
};

// First ready, first come first served: row hits first, then the oldest; an entry that has waited for
// `max_wait` goes before all others.
std::unique_ptr<Scheduler> make_fr_fcfs(Cycle max_wait);
// First come, first served.
std::unique_ptr<Scheduler> make_fcfs();

// "fr_fcfs" or "fcfs"; throws std::invalid_argument for anything else.
std::unique_ptr<Scheduler> make_scheduler(std::string_view name, Cycle max_wait);

}  // namespace trnsim::tlm::hbm
