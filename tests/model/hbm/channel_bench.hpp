// A channel alone, without SystemC: accesses go in, commands come out.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "arch/config/config.hpp"
#include "model/hbm/channel.hpp"
#include "model/hbm/command_checker.hpp"

namespace trnsim::test {

// Returns the banked model of trn1, without refresh.
inline config::BankedHbm quiet_hbm(const std::string& preset = "A") {
    config::BankedHbm hbm = config::load("trn1").hbm.banked;
    hbm.preset = preset;
    hbm.refresh = "none";
    return hbm;
}

struct Access {
    bool write = false;
    unsigned group = 0, bank = 0;  // bank within its group
    std::uint32_t row = 0;
    unsigned column = 0, bursts = 1;
    unsigned pseudo = 0;
    tlm::hbm::Cycle arrival = 1;
    bool same_request = false;  // belongs to the request of the access before
};

class ChannelBench : private tlm::hbm::Requester, private tlm::hbm::CommandSink {
  public:
    explicit ChannelBench(const config::BankedHbm& hbm) : hbm_(hbm), channel_(hbm, 0, *this, this) {}

    // Adds an access; accesses come in order of arrival. Returns the number of its request.
    std::uint64_t add(const Access& access) {
        const unsigned bank = access.group * tlm::hbm::BanksPerGroup + access.bank;
        if (!access.same_request) ++added_;
        channel_.add(access.pseudo, {access.arrival, added_, 0, access.row, static_cast<std::uint8_t>(bank),
                                     static_cast<std::uint8_t>(access.column),
                                     static_cast<std::uint8_t>(access.bursts), access.write});
        bursts_ += access.bursts;
        return added_;
    }
    void advance(tlm::hbm::Cycle limit) { channel_.advance(limit); }
    // Runs until every burst is moved. Returns false if that takes more than a million cycles.
    bool finish() {
        const tlm::hbm::Cycle end = limit_ + 1'000'000;
        while (left() != 0 && limit_ < end) channel_.advance(limit_ += 1000);
        return left() == 0;
    }

    std::uint64_t left() const { return bursts_ - channel_.moved(); }
    // Returns the cycle of the last command for an access; trace() has all commands.
    tlm::hbm::Cycle moved(std::uint64_t access) const { return moved_.at(access); }
    const std::vector<tlm::hbm::CommandRecord>& trace() const { return trace_; }
    tlm::DramCounts counts() const { return channel_.counts(limit_); }

    CommandChecker checked() const { return check(trace_); }
    // Returns a checker that has seen the trace: it knows the rules that it breaks, or how closely it keeps
    // them.
    CommandChecker check(std::vector<tlm::hbm::CommandRecord> trace) const {
        CommandChecker checker(timing_of(hbm_));
        std::ranges::stable_sort(trace, {}, &tlm::hbm::CommandRecord::at);
        for (const tlm::hbm::CommandRecord& record : trace) checker.command(record);
        return checker;
    }

  private:
    void admitted(const tlm::hbm::Entry&, tlm::hbm::Cycle) override {}
    void moved(const tlm::hbm::Entry& entry, tlm::hbm::Cycle at) override { moved_[entry.sequence] = at; }
    void command(const tlm::hbm::CommandRecord& record) override { trace_.push_back(record); }

    config::BankedHbm hbm_;
    std::vector<tlm::hbm::CommandRecord> trace_;
    std::map<std::uint64_t, tlm::hbm::Cycle> moved_;
    std::uint64_t added_ = 0, bursts_ = 0;
    tlm::hbm::Cycle limit_ = 0;
    tlm::hbm::Channel channel_;
};

}  // namespace trnsim::test
