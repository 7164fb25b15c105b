// The endpoint of a chip: it sends the chip's requests to other chips and serves the requests of other chips.
//
// Requests of the chip's fabric are cut where addresses are multiples of the largest packet; each packet asks
// for its part, and the transaction is answered when all parts are, in whatever order, with the first error
// if there was one. Requests of other chips become transactions of the chip's fabric.
//
// Without an answer in time, or when the other chip cannot be reached, a request is answered with
// TLM_GENERIC_ERROR_RESPONSE and reported. It may have taken place, or take place still.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/neuronlink/packet_pool.hpp"
#include "model/neuronlink/routing.hpp"
#include "model/neuronlink/statistics.hpp"
#include "model/neuronlink/transmitter.hpp"
#include "model/perturb/perturb.hpp"
#include "model/protocol/initiator_port.hpp"
#include "model/protocol/target_port.hpp"

namespace trnsim::tlm::neuronlink {

class EndpointOwner {
  public:
    virtual ~EndpointOwner() = default;

    // step() is to be called at `at` or sooner.
    virtual void wake(Time at) = 0;
    // Takes one line about a request that is answered with an error although it reached no memory.
    virtual void report(const std::string& line) = 0;
    // Makes a debug-transport access to an address of another chip, without time. Returns the number of bytes
    // moved.
    virtual unsigned debug(unsigned chip, Payload& payload) = 0;
};

class Endpoint : private protocol::TargetModel {
  public:
    Endpoint(unsigned chip, const Parameters& parameters, EndpointOwner& owner, const perturb::Agent& agent);

    // Takes requests of the chip. As for every fabric range, addresses count from addresses::PooledBase.
    protocol::TargetPort from_chip;
    // Sends requests of other chips; addresses are the chip's own system addresses.
    protocol::InitiatorPort to_chip;

    // Says which chips can be reached, and in `why` the reason for those that cannot, for reports. Requests
    // under way to unreachable chips are answered.
    void set_reachable(const Table& table, const std::string& why, Time now);

    // due(), take(): packets for the network that are due; step(): handles times that are over.
    bool due(Time now) const { return !outbox_.empty() && outbox_.front().at <= now; }
    PacketPtr take();
    void step(Time now);
    Time next() const;  // when there is something to do; Never: nothing

    // True if the endpoint takes this packet from the network.
    bool takes(const Packet& packet) const {
        return is_response(packet.kind) || serving_ < parameters_.served;
    }
    void deliver(const Packet& packet, Time now);
    // A packet of this endpoint has left the queue that it waited in.
    void left(const Packet& packet) { serving_ -= is_response(packet.kind) ? 1 : 0; }

    // True if nothing is under way.
    bool idle() const { return open_.empty() && serving_ == 0 && outbox_.empty(); }

    const EndpointStatistics& statistics() const { return statistics_; }

  private:
    // A transaction of the chip.
    struct Open {
        std::uint64_t sent = 0;      // bytes asked for so far
        std::uint64_t answered = 0;  // bytes
        Response status = ::tlm::TLM_OK_RESPONSE;
        Time at = 0;  // arrival
    };
    // A packet that is not answered yet. The slot's generation is part of the tag, so that a late answer
    // finds another generation.
    struct Slot {
        std::uint32_t generation = 0;
        Payload* payload = nullptr;  // null: the slot is free
        std::uint64_t offset = 0;
        std::uint16_t length = 0;
        std::uint8_t destination = 0;
    };
    struct Deadline {
        Time at;
        std::uint32_t tag;
    };
    struct Leaving {
        PacketPtr packet;
        Time at;
    };

    bool request(Payload& payload, Time at) override;
    unsigned debug(Payload& payload) override;
    Response refuse(const Payload& payload) const;

    void send_parts(Time now);
    void send_part(Payload& payload, std::uint64_t offset, std::uint16_t length, Time at);
    void leave(PacketPtr packet, Time at);
    void serve(const Packet& packet, Time now);
    void served(protocol::Transaction& transaction, Time at);
    Slot* find(std::uint32_t tag);
    void answer_part(Slot& slot, Response status, Time now);
    void fail_part(Slot& slot, const std::string& why, Time now);
    void report(const Payload& payload, std::uint64_t offset, std::uint64_t length, const std::string& why);

    unsigned chip_;
    const Parameters& parameters_;
    EndpointOwner& owner_;
    unsigned chips_ = 0;
    std::vector<bool> reachable_;
    std::string why_unreachable_;
    protocol::PayloadPool pool_;
    PacketPool packets_;
    std::unordered_map<Payload*, Open> open_;
    std::deque<Payload*> unsent_;  // have parts that wait for a slot
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
    std::deque<Deadline> deadlines_;
    std::deque<Leaving> outbox_;  // ordered by time
    std::uint64_t serving_ = 0;
    perturb::Delay out_, back_;
    EndpointStatistics statistics_;
};

}  // namespace trnsim::tlm::neuronlink
