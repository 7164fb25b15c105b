// The network between servers as flows: a message is a flow of bytes from an adapter to an adapter of another
// server, and all flows at a time have max-min fair rates. So a message of any length costs one event when it
// starts and one when it ends, and hundreds of servers can be planned (docs/efa.md).
//
// Results are a function of the calls alone. Times in successive calls never decrease.
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

using MessageId = std::uint64_t;  // numbered from 0 in the order of the calls of send()

// The end of a message: all of it has arrived, or one of its adapters was disconnected before.
struct Arrival {
    MessageId message;
    Time at;
    bool complete;
    bool operator==(const Arrival&) const = default;
};

// The messages of a stream leave one after the other, in the order of the calls; a stream has one pair of
// adapters.
using Stream = std::uint32_t;

class Network {
  public:
    // Throws std::invalid_argument with one line if a parameter is out of its range.
    Network(unsigned servers, const Parameters& parameters);

    const Parameters& parameters() const { return parameters_; }

    // Sends a message. Its first byte leaves at `at`, unless others of the stream are there. Throws
    // std::invalid_argument if the adapters are of one server or do not exist, and if `at` is before an
    // earlier call's time.
    MessageId send(Adapter from, Adapter to, std::uint64_t bytes, Time at,
                   std::optional<Stream> stream = std::nullopt);

    // Messages of this adapter that have not left their sender are lost, and so are those sent until it is
    // connected again.
    void disconnect(Adapter adapter, Time at);
    void connect(Adapter adapter, Time at);

    // Returns a time before which no message arrives if nothing is called; if all ways have one latency, one
    // arrives then. Returns now if one has arrived, nothing if nothing is under way.
    std::optional<Time> next();
    // Returns the messages that have arrived by then and were not returned before, by time and number.
    std::vector<Arrival> advance(Time to);

    // Returns the bytes a second of a message under way, without headers; 0 if it has left its adapter.
    double rate(MessageId message);

    const AdapterStatistics& statistics(Adapter adapter) const { return adapters_[index(adapter)].counts; }
    // Returns the counts of everything that flows share, until the last call.
    std::vector<LinkStatistics> links();
    // Returns the waiting times of the messages that are complete.
    const Waiting& waiting() const { return waiting_; }

  private:
    struct Flow {
        Adapter from, to;
        std::uint64_t bytes;  // payload
        double wire;          // bytes on the wire
        Path path;
        Time latency;
        std::optional<Stream> stream;
        double left = wire;  // wire bytes that had not left the adapter at `rated_at_`
        Time begun = 0;      // when the first byte left
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
        double bytes = 0, given = 0;  // bytes moved until `rated_at_`; bytes a second since then
        Time full = 0;
    };
    using StreamKey = std::tuple<std::size_t, std::size_t, Stream>;  // adapters, number

    std::size_t index(Adapter adapter) const;
    // Returns the number of tiers with an upward link that a message passes.
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
    std::vector<double> capacities_;  // bytes a second: adapters, then the switches of each tier
    std::vector<Resource> resources_;
    std::array<std::size_t, Tiers> first_of_tier_{};  // first pair of resources of each tier
    std::map<MessageId, Flow> flows_;                 // flows that are sending
    std::map<StreamKey, std::deque<std::pair<MessageId, Flow>>>
        streams_;  // waiting after the one that is sending
    Waiting waiting_;
    std::map<std::pair<Time, MessageId>, Arrival> arrivals_;  // messages that have left their adapters
    MessageId messages_ = 0;
    Time now_ = 0;
    Time rated_at_ = 0;
    bool shared_ = true;  // the rates are those of the current flows
};

}  // namespace trnsim::tlm::efa
