#include "model/hbm/channel.hpp"

#include <algorithm>

namespace trnsim::tlm::hbm {

using Action = PseudoChannel::Action;

Channel::Channel(const config::BankedHbm& hbm, unsigned number, Requester& requester, CommandSink* sink)
    : pseudo_{PseudoChannel(hbm, {number, 0}, requester, sink),
              PseudoChannel(hbm, {number, 1}, requester, sink)} {}

// Plans the next action; a plan stays valid until its pseudo channel acts or the other one takes the bus.
void Channel::plan(unsigned pseudo) {
    const Action& action = next_[pseudo];
    if (!planned_[pseudo] || action.at < buses_.free[action.bus()])
        next_[pseudo] = pseudo_[pseudo].plan(buses_);
    planned_[pseudo] = true;
}

// Skips both pseudo channels or neither: a refresh takes the bus that they share.
void Channel::skip_idle(Cycle limit) {
    if (!pseudo_[0].quiet() || !pseudo_[1].quiet()) return;
    const Cycle until = std::min({limit, pseudo_[0].next_arrival(), pseudo_[1].next_arrival()});
    for (PseudoChannel& pseudo : pseudo_) pseudo.skip_refreshes(until);
    planned_ = {};
}

void Channel::advance(Cycle limit) {
    skip_idle(limit);
    for (;;) {
        plan(0);
        plan(1);
        // At equal times the one that did not act last goes first.
        const unsigned first = 1 - last_;
        const unsigned chosen = next_[last_].at < next_[first].at ? last_ : first;
        const Action& action = next_[chosen];
        if (action.at > limit) return;
        pseudo_[chosen].perform(action, buses_);
        planned_[chosen] = false;
        last_ = chosen;
        if (action.kind == Action::Refresh) skip_idle(limit);
    }
}

DramCounts Channel::counts(Cycle now) const {
    DramCounts counts;
    for (const PseudoChannel& pseudo : pseudo_) pseudo.add_counts(counts, now);
    return counts;
}

}  // namespace trnsim::tlm::hbm
