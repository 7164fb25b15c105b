// One HBM2E stack as a TLM target, with channels, banks, commands and refresh (docs/hbm.md).
//
// A request takes effect on the contents when it comes, in the order in which requests come; its commands
// take the time. The response to a read leaves `read_latency` after its last data, that to a write
// `write_latency` after it has found room in the write queues. Bursts to the same place are moved in the
// order of the requests. When a limited number of bursts wait, the next request is held off.
//
// Channels are simulated later than the time of the simulation: their decisions depend only on what has
// arrived, and no response is due sooner than a certain time after its cause, so the stack wakes once in that
// time and catches up. Without requests it never wakes.
//
// A perturbed stack answers late and in any order.
#pragma once

#include <vector>

#include "arch/config/config.hpp"
#include "model/hbm/channel.hpp"
#include "model/hbm/mapping.hpp"
#include "model/hbm/memory.hpp"
#include "model/hbm/storage.hpp"
#include "model/hbm/upsets.hpp"
#include "model/perturb/perturb.hpp"
#include "model/protocol/alarm.hpp"

namespace trnsim::tlm::hbm {

// The bursts that may wait for their commands before requests are held off: 64 KiB.
constexpr std::uint64_t BacklogBursts = 2048;

class BankedStack : public Memory, private protocol::TargetModel, private Requester {
  public:
    // The configuration must have passed its checks. `sink`, which must outlive the stack, gets every
    // command.
    BankedStack(const sc_core::sc_module_name& name, const config::Hbm& hbm, const perturb::Agent& agent = {},
                const contents::RandomContents& unwritten = {}, CommandSink* sink = nullptr);

    std::optional<DramStatistics> dram() override;
    bool report_to(CommandSink* sink) override;
    bool inject(std::uint64_t address, const CodeWord& bits) override;

    Storage& storage() override { return storage_; }

  private:
    // A request that is under way.
    struct Slot {
        Payload* payload = nullptr;
        Time at = 0;
        std::uint64_t left = 0;  // pieces to move (reads) or to find room for (writes)
        Cycle last = 0;          // last command or admission
    };

    struct Answer {
        Time at;
        Payload* payload;
    };

    bool request(Payload& payload, Time at) override;
    unsigned debug(Payload& payload) override { return storage_.debug(payload); }
    void admitted(const Entry& entry, Cycle at) override;
    void moved(const Entry& entry, Cycle at) override;

    Response access(Payload& payload, Time at);
    Upsets::Found decode_words(const Payload& payload);
    void inject_some(const Payload& payload);
    std::uint32_t new_slot(Payload& payload, Time at);
    void enqueue(std::uint64_t address, std::uint64_t length, bool write, std::uint32_t slot, Time at);
    void answer(std::uint32_t number, Time at, LatencyCounts& counts);
    void advance();
    void wake();
    void wake_at(Time at);
    Cycle cycle(Time at) const { return at / hbm_.tck; }
    std::uint64_t waiting() const { return enqueued_ - moved_; }  // bursts

    config::BankedHbm hbm_;
    Mapping mapping_;
    Storage storage_;
    Upsets upsets_;
    perturb::Delay delay_;
    perturb::Stream random_{0, "hbm upsets"};
    Time read_tail_;  // from the command of the last burst to the response
    Time horizon_;    // shortest time from a cause to its response
    std::vector<Channel> channels_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<Answer> answers_;  // answers of the channels, in the order of their simulation
    std::uint64_t sequence_ = 0;   // number of the newest request
    Cycle last_arrival_ = 0;
    std::uint64_t enqueued_ = 0, moved_ = 0;  // bursts, until the last look at the channels
    bool held_off_ = false;
    Time newest_ = 0;  // when the newest request came
    bool injects_;     // injects wrong bits
    std::uint64_t reads_until_single_, reads_until_double_;
    DramStatistics counts_;
    Time wakes_at_;
    protocol::Alarm wake_{[this] { wake(); }};
};

}  // namespace trnsim::tlm::hbm
