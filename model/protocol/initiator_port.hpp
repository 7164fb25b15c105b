// The initiator's half of the four-phase base protocol: sends requests one after the other as the target
// accepts them and hands every response to a function.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <functional>

#include "model/protocol/payload_pool.hpp"
#include "model/protocol/ring_queue.hpp"

namespace trnsim::tlm::protocol {

class InitiatorPort {
  public:
    // Called when the response to `transaction` has come; it is valid from `at` (never before the current
    // time). The transaction is released after the call.
    using OnResponse = std::function<void(Transaction& transaction, Time at)>;

    InitiatorPort(const char* name, OnResponse on_response);
    InitiatorPort(const InitiatorPort&) = delete;
    InitiatorPort& operator=(const InitiatorPort&) = delete;

    tlm_utils::simple_initiator_socket<InitiatorPort> socket;

    // Sends the transaction at `at` (not in the past), or as soon after that as the target has accepted the
    // earlier requests. The response may come within the call.
    void send(Transaction& transaction, Time at);

  private:
    struct Waiting {
        Transaction* transaction = nullptr;
        Time at = 0;
    };

    Sync backward(Payload& payload, Phase& phase, sc_core::sc_time& delay);
    void send_waiting();
    void transmit(Transaction& transaction, Time at);
    void complete(Payload& payload, Time at);

    OnResponse on_response_;
    const Payload* request_ = nullptr;  // waits for END_REQ
    Time free_at_ = 0;                  // when the target took the previous request
    RingQueue<Waiting> waiting_;
};

}  // namespace trnsim::tlm::protocol
