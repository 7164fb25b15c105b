// The network between servers, as flows: a message is a flow of bytes from an adapter to an adapter of another
// server, and all flows at a time have max-min fair rates. So a message costs an event when it starts and one
// when it ends, whatever its length, and hundreds of servers can be planned (docs/efa.md).
//
// Results are a function of the calls alone. Calls give times that never go back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tlm/efa/fair_shares.hpp"
#include "tlm/efa/parameters.hpp"

namespace trnsim::tlm::efa {

struct Adapter {
    unsigned server = 0, number = 0;
    bool operator==(const Adapter&) const = default;
};

using MessageId = std::uint64_t;  // in the order of the calls of send(), from 0

// The end of a message: all of it is there, or one of its adapters was disconnected before.
struct Arrival {
    MessageId message;
    Time at;
    bool complete;
    bool operator==(const Arrival&) const = default;
};

struct AdapterStatistics {
    std::uint64_t messages_sent = 0, messages_received = 0, messages_lost = 0;
    std::uint64_t bytes_sent = 0, bytes_received = 0;  // payload of complete messages
};

class Network {
  public:
    // Throws std::invalid_argument, one line, when a parameter is out of its range.
    Network(unsigned servers, const Parameters& parameters);

    // `at`: when the first byte leaves. Throws std::invalid_argument when the adapters are of one server or do
    // not exist, and when `at` lies before an earlier call's time.
    MessageId send(Adapter from, Adapter to, std::uint64_t bytes, Time at);

    // Messages of this adapter that have not left their sender are lost, and so are those sent until it is
    // connected again.
    void disconnect(Adapter adapter, Time at);
    void connect(Adapter adapter, Time at);

    // When the next message arrives if nothing is called before, or now if one has; none: nothing is under way.
    std::optional<Time> next();
    // The messages that have arrived by then and were not told of before, by time and number.
    std::vector<Arrival> advance(Time to);

    // Bytes a second that a message under way has, headers not counted; 0 when it has left its adapter.
    double rate(MessageId message);

    const AdapterStatistics& statistics(Adapter adapter) const { return adapters_[index(adapter)].counts; }

  private:
    struct Flow {
        Adapter from, to;
        std::uint64_t bytes;  // payload
        double left;          // bytes on the wire that had not left the adapter at `rated_at_`
        Path path;
        double rate = 0;
        Time end = 0;  // when the last byte leaves at this rate
    };
    struct State {
        bool connected = true;
        AdapterStatistics counts;
    };

    std::size_t index(Adapter adapter) const;
    Path path(Adapter from, Adapter to) const;
    double wire_bytes(std::uint64_t bytes) const;
    void share();
    Time first_end() const;
    void step_to(Time to);
    void finish(MessageId message, const Flow& flow, Time at, bool complete);

    Parameters parameters_;
    unsigned servers_;
    std::vector<State> adapters_;
    std::vector<double>
        capacities_;  // bytes a second: sending and receiving of each adapter, up and down of each leaf
    std::map<MessageId, Flow> flows_;                         // those with bytes to send
    std::map<std::pair<Time, MessageId>, Arrival> arrivals_;  // of messages that have left their adapters
    MessageId messages_ = 0;
    Time now_ = 0;
    Time rated_at_ = 0;
    bool shared_ = true;  // the rates are those of the flows there are
};

}  // namespace trnsim::tlm::efa
