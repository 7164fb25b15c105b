// Which banks may be served next.
#pragma once

#include <memory>
#include <string_view>

#include "tlm/hbm/queue.hpp"

namespace trnsim::tlm::hbm {

// Banks that may get a command now. `in_order`: only for the oldest entry of the bank; otherwise those for
// the open row go first.
struct Grant {
    BankMask banks;
    bool in_order;
};

class Scheduler {
  public:
    virtual ~Scheduler() = default;
    virtual Grant grant(const Queue& queue, Cycle now) const = 0;  // of a queue that is not empty
};

// First ready, first come first served: row hits first, then the oldest; an entry that has waited for
// `max_wait` goes before all others.
std::unique_ptr<Scheduler> make_fr_fcfs(Cycle max_wait);
// First come, first served.
std::unique_ptr<Scheduler> make_fcfs();

// "fr_fcfs" or "fcfs"; throws std::invalid_argument for anything else.
std::unique_ptr<Scheduler> make_scheduler(std::string_view name, Cycle max_wait);

}  // namespace trnsim::tlm::hbm
