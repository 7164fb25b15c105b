// The wrapper's side of the port over which the core reads tables of activation functions: it turns bursts
// into transactions, several at once, and returns their beats in the order of the bursts.
#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "model/core/core_model.hpp"
#include "model/perturb/perturb.hpp"
#include "model/protocol/initiator_port.hpp"
#include "model/protocol/traffic.hpp"

namespace trnsim::tlm {

constexpr std::size_t MaxTableBursts = 32;  // bursts under way

class TablePort {
  public:
    // `on_arrival` is called when a response comes, which the core may see at the first bus tick after `at`.
    explicit TablePort(std::function<void(Time at)> on_arrival, const perturb::Agent& agent = {});

    protocol::InitiatorPort port;

    // Drives `in` for the bus tick at `time` and takes what the handshakes of that tick move. `out` is the
    // core's output before the tick. Returns whether a transaction was sent.
    bool tick(AxiTableIn& in, const AxiTableOut& out, Time time);

    // Returns when the next beat for the core arrives or did arrive; the largest time: none is on its way
    // back.
    Time next_arrival() const;
    const Traffic& traffic() const { return traffic_; }

    // The same as those of ManagerPort.
    void reset();
    bool waits_for_memory() const { return outstanding_ != 0; }

    // True if only a stall of the port keeps it from taking a burst: ticks have to go on.
    bool holds_back() const { return holds_back_; }

  private:
    struct Burst {
        protocol::Transaction* transaction;
        std::optional<Time> at;  // arrival of the response
    };

    void take_response(protocol::Transaction& transaction, Time at);
    void give_beat(AxiTableIn& in, const AxiTableOut& out, Time time);
    void send(const AxiTableOut& out, Time time);

    std::function<void(Time)> on_arrival_;
    protocol::PayloadPool pool_;
    std::deque<Burst> bursts_;
    std::size_t beat_ = 0;      // next beat of the first burst
    unsigned outstanding_ = 0;  // bursts without a response, including those from before a reset
    Traffic traffic_;
    perturb::Stall ar_ready_;
    perturb::HeldValid r_valid_;
    perturb::Delay read_;  // delays of responses
    bool holds_back_ = false;
};

}  // namespace trnsim::tlm
