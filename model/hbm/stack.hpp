// One HBM stack as a TLM target: capacity, bandwidth and latency.
//
// All accesses share one channel and are served in the order in which they come. An access of n bytes that
// arrives at t starts at s = max(t, end of the previous access), keeps the channel for max(n, 32) bytes at
// the stack's bandwidth, and is answered the read or write latency after that. The channel holds a limited
// backlog; beyond it the next request is held off. A write is visible to every access after it. Accesses
// beyond the capacity are answered with TLM_ADDRESS_ERROR_RESPONSE.
//
// Initiators may rely on less: an access takes place at some time between its request and its response. A
// perturbed stack uses that: answers come late and in any order, and so do the accesses themselves.
#pragma once

#include <queue>

#include "model/hbm/memory.hpp"
#include "model/hbm/storage.hpp"
#include "model/perturb/perturb.hpp"
#include "model/protocol/alarm.hpp"

namespace trnsim::tlm::hbm {

struct StackTiming {
    std::uint64_t capacity;   // bytes
    std::uint64_t bandwidth;  // bytes a second, of this stack
    Time read_latency;        // fs
    Time write_latency;       // fs
};

// The smallest access: burst length 4 of a 64-bit pseudo channel (JESD235).
constexpr std::uint64_t AccessBytes = 32;
// Bytes of the requests that wait for the channel: two of the largest DMA bursts for each of 16 engines.
constexpr std::uint64_t BacklogBytes = 32ULL * 1024;

class Stack : public Memory, private protocol::TargetModel {
  public:
    // `unwritten`: the contents where nothing has written.
    Stack(const sc_core::sc_module_name& name, const StackTiming& timing, const perturb::Agent& agent = {},
          const contents::RandomContents& unwritten = {});

    Storage& storage() override { return storage_; }

  private:
    // An access that takes place at `at`.
    struct Late {
        Time at;
        std::uint64_t order;  // order of the requests, for equal times
        Payload* payload;
        Time response;
        bool operator<(const Late& other) const {
            return at != other.at ? at > other.at : order > other.order;
        }
    };

    bool request(Payload& payload, Time at) override;
    unsigned debug(Payload& payload) override { return storage_.debug(payload); }
    void drain();
    void access_late();

    StackTiming timing_;
    Time backlog_limit_;
    Time channel_free_ = 0;
    Storage storage_;
    protocol::Alarm drained_{[this] { drain(); }};
    perturb::Delay delay_;
    std::priority_queue<Late> late_;
    std::uint64_t order_ = 0;
    protocol::Alarm late_due_{[this] { access_late(); }};
};

}  // namespace trnsim::tlm::hbm
