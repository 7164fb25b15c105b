// The wrapper's side of the core's AXI manager port: it turns instruction fetches and posted writes of one
// beat into transactions.
//
// Several reads and writes are under way at once. Responses of one ID go back in the order of its requests,
// different IDs in any order.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>

#include "model/core/core_model.hpp"
#include "model/perturb/perturb.hpp"
#include "model/protocol/initiator_port.hpp"
#include "model/protocol/traffic.hpp"

namespace trnsim::tlm {

constexpr unsigned MaxFetches = 16;  // reads under way
constexpr unsigned MaxPosted = 64;   // writes under way: 16 of the sequencers, others are notifications
constexpr unsigned ManagerIds = 8;   // engine numbers, the notification queue

class ManagerPort {
  public:
    // `on_arrival` is called when a response comes, which the core may see at the first bus tick after `at`.
    explicit ManagerPort(std::function<void(Time at)> on_arrival, const perturb::Agent& agent = {});

    protocol::InitiatorPort port;

    // Works like AxiPort::tick(). Returns whether a transaction was sent.
    bool tick(AxiManagerIn& in, const AxiManagerOut& out, Time time);

    // Returns when the next response for the core arrives or did arrive; the largest time: none is on its way
    // back.
    Time next_arrival() const;
    const Traffic& traffic() const { return traffic_; }

    // The core was reset: forgets what is under way. Responses to it are dropped when they come.
    void reset();
    // Returns whether a response to anything sent has still to come, dropped or not.
    bool waits_for_memory() const { return outstanding_ != 0; }

    // True if only a stall of the port keeps it from taking the core's offer: ticks have to go on.
    bool holds_back() const { return holds_back_; }

  private:
    struct Read {
        protocol::Transaction* transaction;
        std::uint64_t tag;
        std::optional<Time> at;  // arrival of the response
    };
    struct Posted {
        std::uint8_t id;
        bool failed;
        Time at;
    };

    void take_response(protocol::Transaction& transaction, Time at);
    void tick_responses(AxiManagerIn& in, const AxiManagerOut& out, Time time);
    void choose_burst(Time time);
    void send_read(const AxiManagerOut& out, Time time);
    void send_write(Time time);

    std::function<void(Time)> on_arrival_;
    protocol::PayloadPool pool_;
    std::uint64_t next_tag_ = 0;
    std::uint64_t first_tag_ = 0;  // tag of the first transaction since the last reset
    unsigned outstanding_ = 0;     // transactions without a response
    std::array<std::deque<Read>, ManagerIds> reads_;
    unsigned fetches_ = 0, posted_ = 0;
    int burst_ = -1;  // ID of the burst that goes back to the core
    std::uint32_t beat_ = 0;
    unsigned turn_ = 0;
    std::deque<Posted> responses_;
    struct Address {
        std::uint8_t id;
        std::uint32_t bytes;
        std::uint64_t address;
    };
    std::optional<Address> address_;                               // address of a write without data yet
    std::optional<std::array<std::uint32_t, ManagerWords>> data_;  // data of a write without address yet
    Traffic traffic_;
    perturb::Stall ar_ready_, aw_ready_, w_ready_;
    perturb::HeldValid r_valid_, b_valid_;
    perturb::Delay read_, write_;  // delays of responses
    bool holds_back_ = false;
};

}  // namespace trnsim::tlm
