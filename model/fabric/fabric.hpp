// The on-chip fabric: takes transactions from several initiators to the target their address belongs to.
//
// Every initiator has a target socket here and every target an initiator socket. A transaction takes the
// fixed latency each way; the bandwidth of the fabric itself is unlimited, except between the sides of a chip
// (crossing.hpp). The address that a target sees is relative to the start of its range. If a target holds
// requests off, later requests to it wait in order while requests to other targets pass. An address outside
// the map, or an access across the end of a range, is answered with TLM_ADDRESS_ERROR_RESPONSE.
//
// Requests of one initiator reach a target in the order they were sent; nothing else is promised. A perturbed
// fabric delays every request and every response separately, so that those of different initiators and from
// different targets overtake each other.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <span>
#include <vector>

#include "model/fabric/crossing.hpp"
#include "model/fabric/route_table.hpp"
#include "model/perturb/perturb.hpp"
#include "model/protocol/alarm.hpp"
#include "model/protocol/ring_queue.hpp"
#include "model/protocol/timed_queue.hpp"

namespace trnsim::tlm::fabric {

// Requests buffered for each target before initiators are held off: more than fit into the latency at HBM
// bandwidth.
constexpr std::size_t QueueDepth = 32;

// Addresses [base, base + size) belong to a target.
struct Range {
    std::uint64_t base, size;
    unsigned target;
};

class Fabric : public sc_core::sc_module {
  public:
    // Throws std::invalid_argument when ranges overlap or name a target that is not there.
    Fabric(const sc_core::sc_module_name& name, unsigned initiators, unsigned targets,
           std::span<const Range> map, Time latency, perturb::Seed seed = {}, Sides sides = {});

    using TargetSocket = tlm_utils::simple_target_socket_tagged<Fabric>;
    using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged<Fabric>;

    TargetSocket& from(unsigned initiator) { return *from_[initiator]; }
    InitiatorSocket& to(unsigned target) { return *to_[target]; }

  private:
    struct Waiting {
        Payload* payload;
        Time at;
    };
    // One direction of a connection: the transaction that holds it and those that wait for it.
    struct Channel {
        const Payload* owner = nullptr;
        protocol::RingQueue<Waiting> waiting;
    };

    // A request or a response on its way through a perturbed fabric, or a write between sides.
    struct Late {
        Payload* payload;
        bool request;
    };
    // The path of an initiator's requests to a target.
    struct Way {
        perturb::Delay delay;
        Time last = 0;  // arrival of the newest request
    };

    Sync forward(int initiator, Payload& payload, Phase& phase, sc_core::sc_time& delay);
    Sync backward(int target, Payload& payload, Phase& phase, sc_core::sc_time& delay);
    void blocking(int initiator, Payload& payload, sc_core::sc_time& delay);
    unsigned debug(int initiator, Payload& payload);

    const Range* decode(const Payload& payload) const;
    Sync send_request(Payload& payload, Phase& phase, Time& at, unsigned target);
    void send_requests(unsigned target, Time from);
    Sync send_response(Payload& payload, Time at, int initiator);
    Sync deliver(Payload& payload, Time at, int initiator);
    void end_at_target(Payload& payload, const Route& route, Time at);
    void send_responses(int initiator, Time from);
    void end_request(Payload& payload, Time at);
    void end_response(Payload& payload, Time at);
    Way& way(int initiator, unsigned target);
    void arrive_later(Payload& payload, Time at, bool request);
    void delay_request(Payload& payload, Time at, const Route& route);
    void delay_response(Payload& payload, Time at, Route& route);
    void arrive();

    std::vector<Range> map_;
    Time latency_;
    Crossing crossing_;
    std::vector<std::unique_ptr<TargetSocket>> from_;
    std::vector<std::unique_ptr<InitiatorSocket>> to_;
    std::vector<Channel> requests_;   // by target
    std::vector<Channel> responses_;  // by initiator
    RouteTable routes_;
    bool perturbed_;
    std::vector<Way> ways_;                // by initiator and target
    std::vector<perturb::Delay> returns_;  // by initiator
    protocol::TimedQueue<Late> late_;
    protocol::Alarm late_due_{[this] { arrive(); }};
};

}  // namespace trnsim::tlm::fabric
