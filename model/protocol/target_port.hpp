// The target's half of the base protocol: four-phase nb_transport with the exclusion rules, b_transport with
// the same timing, and debug transport, all handed to one model.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <unordered_map>
#include <vector>

#include "model/protocol/alarm.hpp"
#include "model/protocol/timed_queue.hpp"

namespace trnsim::tlm::protocol {

// The model that serves the requests of a TargetPort.
class TargetModel {
  public:
    virtual ~TargetModel() = default;

    // Takes a request that arrives at `at` (not in the past). The model answers it with
    // TargetPort::respond(), possibly within the call. Returns false to hold off the next request until
    // TargetPort::accept(), called later; this one is taken in any case. Requests that come meanwhile,
    // blocking or not, wait in the port.
    virtual bool request(Payload& payload, Time at) = 0;

    // Makes a debug-transport access. Returns the number of bytes moved.
    virtual unsigned debug(Payload& payload) = 0;
};

class TargetPort : public sc_core::sc_module {
  public:
    TargetPort(const sc_core::sc_module_name& name, TargetModel& model);

    tlm_utils::simple_target_socket<TargetPort> socket;

    // Sends the response at `at`, or as soon as the initiator has ended an earlier one.
    void respond(Payload& payload, Time at);

    // Lets the next request come at `at`, after a request() that returned false.
    void accept(Time at);

  private:
    struct Waiting {
        Time at;  // arrival
        Payload* payload;
        bool blocking;
    };

    // Hands a request to the model, or keeps it until accept(). Returns true if the next one may come.
    bool take(const Waiting& request);
    void end_request(Payload& payload, Time at);
    Sync forward(Payload& payload, Phase& phase, sc_core::sc_time& delay);
    void blocking(Payload& payload, sc_core::sc_time& delay);
    unsigned debug(Payload& payload) { return model_.debug(payload); }
    void send_responses();

    TargetModel& model_;
    bool closed_ = false;          // the model holds requests off
    RingQueue<Waiting> waiting_;   // requests held off, at most one of them not blocking
    Payload* held_ = nullptr;      // waits for END_REQ
    Payload* response_ = nullptr;  // waits for END_RESP
    TimedQueue<Payload*> due_;     // responses
    Alarm wake_{[this] { send_responses(); }};
    std::unordered_map<Payload*, sc_core::sc_event*> blocked_;  // b_transport calls under way
};

}  // namespace trnsim::tlm::protocol
