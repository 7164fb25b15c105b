// A channel: two pseudo channels that share the row and column command buses.
#pragma once

#include "model/hbm/pseudo_channel.hpp"

namespace trnsim::tlm::hbm {

class Channel {
  public:
    Channel(const config::BankedHbm& hbm, unsigned number, Requester& requester, CommandSink* sink = nullptr);

    void add(unsigned pseudo, const Entry& entry) {
        pseudo_[pseudo].add(entry);
        planned_[pseudo] = false;
    }

    // Performs everything that happens until `limit`, inclusive. Nothing that arrives before that may be
    // added later.
    void advance(Cycle limit);

    void report_to(CommandSink* sink) {
        for (PseudoChannel& pseudo : pseudo_) pseudo.report_to(sink);
    }

    // Returns the bursts moved so far.
    std::uint64_t moved() const { return pseudo_[0].moved() + pseudo_[1].moved(); }
    DramCounts counts(Cycle now) const;

  private:
    void plan(unsigned pseudo);
    void skip_idle(Cycle limit);

    std::array<PseudoChannel, PseudoChannels> pseudo_;
    std::array<PseudoChannel::Action, PseudoChannels> next_{};
    std::array<bool, PseudoChannels> planned_{};
    Buses buses_;
    unsigned last_ = 0;  // pseudo channel that acted last
};

}  // namespace trnsim::tlm::hbm
