// The network between servers, as flows: a message is a flow of bytes from an adapter to an adapter of another
// server, and all flows at a time have max-min fair rates. So a message costs an event when it starts and one
// when it ends, whatever its length, and hundreds of servers can be planned (docs/efa.md).
//
// Results are a function of the calls alone. Calls give times that never go back.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/efa/fair_shares.hpp"
#include "model/efa/parameters.hpp"
#include "model/efa/statistics.hpp"

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

// Messages of a stream leave one after the other, in the order of the calls; a stream has both its adapters.
using Stream = std::uint32_t;

class Network {
  public:
    // Throws std::invalid_argument, one line, when a parameter is out of its range.
    Network(unsigned servers, const Parameters& parameters);

    const Parameters& parameters() const { return parameters_; }

    // `at`: when the first byte leaves, unless others of the stream are there. Throws std::invalid_argument when
    // the adapters are of one server or do not exist, and when `at` lies before an earlier call's time.
    MessageId send(Adapter from, Adapter to, std::uint64_t bytes, Time at,
                   std::optional<Stream> stream = std::nullopt);

    // Messages of this adapter that have not left their sender are lost, and so are those sent until it is
    // connected again.
    void disconnect(Adapter adapter, Time at);
    void connect(Adapter adapter, Time at);

    // No message arrives before, if nothing is called; where all ways have one latency one arrives then. Now if one
    // has; none: nothing is under way.
    std::optional<Time> next();
    // The messages that have arrived by then and were not told of before, by time and number.
    std::vector<Arrival> advance(Time to);

    // Bytes a second that a message under way has, headers not counted; 0 when it has left its adapter.
    double rate(MessageId message);

    const AdapterStatistics& statistics(Adapter adapter) const { return adapters_[index(adapter)].counts; }
    // Of everything that flows share, until the last call.
    std::vector<LinkStatistics> links();
    // Of the messages that are complete.
    const Waiting& waiting() const { return waiting_; }

  private:
    struct Flow {
        Adapter from, to;
        std::uint64_t bytes;  // payload
        double wire;          // bytes on the wire
        Path path;
        Time latency;
        std::optional<Stream> stream;
        double left = wire;  // of them, those that had not left the adapter at `rated_at_`
        Time begun = 0;      // when the first left
        double rate = 0;
        Time end = 0;  // when the last byte leaves at this rate
    };
    struct State {
        bool connected = true;
        AdapterStatistics counts;
    };
    struct Resource {
        LinkKind kind;
        std::uint32_t number;
        double bytes = 0, given = 0;  // moved until `rated_at_`; a second since
        Time full = 0;
    };
    using StreamKey = std::tuple<std::size_t, std::size_t, Stream>;  // adapters, number

    std::size_t index(Adapter adapter) const;
    // Tiers whose links upward a message passes.
    unsigned climb(Adapter from, Adapter to) const;
    Path path(Adapter from, Adapter to) const;
    double wire_bytes(std::uint64_t bytes) const;
    void add_resources(LinkKind kind, std::size_t pairs, double capacity);
    void begin(MessageId message, Flow flow);
    void count(const Flow& flow, double bytes);
    void next_of_stream(const Flow& flow);
    double seconds_since(Time time) const;
    void bring_up_to_date();
    void share();
    Time first_end() const;
    void step_to(Time to);
    void finish(MessageId message, const Flow& flow, Time at, bool complete);

    Parameters parameters_;
    unsigned servers_;
    std::vector<State> adapters_;
    std::vector<double> capacities_;  // bytes a second: of each adapter, then of the switches of each tier
    std::vector<Resource> resources_;
    std::array<std::size_t, Tiers> first_of_tier_{};  // of its pairs of resources
    std::map<MessageId, Flow> flows_;                 // those that are sending
    std::map<StreamKey, std::deque<std::pair<MessageId, Flow>>>
        streams_;  // those behind the one that is sending
    Waiting waiting_;
    std::map<std::pair<Time, MessageId>, Arrival> arrivals_;  // of messages that have left their adapters
    MessageId messages_ = 0;
    Time now_ = 0;
    Time rated_at_ = 0;
    bool shared_ = true;  // the rates are those of the flows there are
};

}  // namespace trnsim::tlm::efa
