#include "runtime/cluster/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>
#include <stdexcept>
#include <tuple>

#include "isa/element_type.hpp"

namespace trnsim::cluster {
namespace {

using collectives::BufferAddress;
using collectives::Combine;
using collectives::ElementRun;
using collectives::Step;
using collectives::StepId;
using tlm::efa::Network;

// Byte b of a step's operands corresponds to byte b - shift of the successor's.
struct Edge {
    StepId successor = 0;
    std::int64_t shift = 0;
};

// The waits between the segments of a schedule.
class Dependencies {
  public:
    Dependencies(const collectives::Schedule& schedule, std::uint64_t segment)
        : segment_(static_cast<std::int64_t>(segment)), edges_(schedule.steps.size()) {
        for (const Step& step : schedule.steps) {
            const std::uint64_t bytes =
                step.transfer.elements * isa::element_size(step.transfer.destinations[0].dtype);
            bytes_.push_back(static_cast<std::int64_t>(bytes));
            first_.push_back(segments_);
            segments_ += (bytes + segment - 1) / segment;
        }
        for (StepId id = 0; id < schedule.steps.size(); ++id)
            for (const StepId before : schedule.steps[id].waits) add(schedule, before, id);
    }

    std::uint64_t segments() const { return segments_; }
    std::uint64_t index(StepId step, std::uint64_t segment) const { return first_[step] + segment; }
    std::uint64_t segments(StepId step) const {
        return static_cast<std::uint64_t>((bytes_[step] + segment_ - 1) / segment_);
    }
    std::uint64_t bytes(StepId step, std::uint64_t segment) const {
        const std::int64_t begin = static_cast<std::int64_t>(segment) * segment_;
        return static_cast<std::uint64_t>(std::min(segment_, bytes_[step] - begin));
    }

    // Calls visit(step, segment) for each segment that waits for this one, once for each reason.
    template <typename Visit>
    void successors(StepId step, std::uint64_t segment, const Visit& visit) const {
        const std::int64_t begin = static_cast<std::int64_t>(segment) * segment_;
        const std::int64_t end = std::min(begin + segment_, bytes_[step]);
        for (const Edge& edge : edges_[step]) {
            const std::int64_t low = std::max<std::int64_t>(begin - edge.shift, 0);
            const std::int64_t high = std::min(end - edge.shift, bytes_[edge.successor]);
            for (std::int64_t at = low / segment_; low < high && at <= (high - 1) / segment_; ++at)
                visit(edge.successor, static_cast<std::uint64_t>(at));
        }
    }

  private:
    // Adds an edge for each pair of operands that share bytes, if at least one of the two is written.
    void add(const collectives::Schedule& schedule, StepId before, StepId after) {
        const auto& first = schedule.steps[before].transfer;
        const auto& second = schedule.steps[after].transfer;
        const auto meet = [&](const std::vector<ElementRun>& ones, const std::vector<ElementRun>& others) {
            for (const ElementRun& one : ones) {
                for (const ElementRun& other : others) {
                    if (one.place.rank != other.place.rank || one.place.buffer != other.place.buffer)
                        continue;
                    const std::int64_t shift = static_cast<std::int64_t>(other.place.offset) -
                                               static_cast<std::int64_t>(one.place.offset);
                    if (shift < bytes_[before] && -shift < bytes_[after])
                        edges_[before].push_back({after, shift});
                }
            }
        };
        meet(first.destinations, second.sources);
        meet(first.destinations, second.destinations);
        meet(first.sources, second.destinations);
    }

    std::int64_t segment_;
    std::uint64_t segments_ = 0;
    std::vector<std::int64_t> bytes_;       // bytes of each step
    std::vector<std::uint64_t> first_;      // first segment of each step
    std::vector<std::vector<Edge>> edges_;  // index: the step that is waited for
};

class Player {
  public:
    Player(const collectives::Schedule& schedule, const ExchangeParameters& parameters, Network& network)
        : schedule_(schedule),
          parameters_(parameters),
          network_(network),
          dependencies_(schedule, parameters.segment),
          states_(dependencies_.segments() * parameters.adapters.size()),
          free_at_(schedule.lists.size() * parameters.adapters.size()) {}

    Time run() {
        start();
        for (std::optional<Time> at = next(); at; at = next()) {
            for (const auto& arrival : network_.advance(*at)) arrived(arrival.message, *at);
            while (!events_.empty() && events_.top().at == *at) {
                const Event event = events_.top();
                events_.pop();
                event.written ? write(event.segment, *at) : read(event.segment, *at);
            }
        }
        if (complete_ != states_.size()) throw std::logic_error("cluster: steps that wait for each other");
        return end_;
    }

  private:
    struct Segment {
        std::uint32_t copy;  // index in `adapters`
        StepId step;
        std::uint64_t segment;
    };
    struct State {
        std::uint32_t waits = 0;     // number of reasons that delay its begin
        std::uint32_t messages = 0;  // messages in flight
        bool written = false;        // the messages are its writes
    };
    struct Event {
        Time at;
        std::uint64_t order;
        Segment segment;
        bool written;
        bool operator<(const Event& other) const {  // the first event is on top
            return std::tie(at, order) > std::tie(other.at, other.order);
        }
    };

    const Step& step(const Segment& segment) const { return schedule_.steps[segment.step]; }
    State& state(const Segment& segment) {
        return states_[segment.copy * dependencies_.segments() +
                       dependencies_.index(segment.step, segment.segment)];
    }
    std::uint64_t bytes(const Segment& segment) const {
        return dependencies_.bytes(segment.step, segment.segment);
    }
    Time combining(const Segment& segment) const {
        constexpr auto Second = static_cast<double>(FsPerSecond);
        return static_cast<Time>(
            std::ceil(static_cast<double>(bytes(segment)) / parameters_.combine * Second));
    }

    std::optional<Time> next() {
        const std::optional<Time> arrival = network_.next();
        if (events_.empty()) return arrival;
        return arrival ? std::min(*arrival, events_.top().at) : events_.top().at;
    }
    void push(Time at, const Segment& segment, bool written) {
        events_.push({at, events_pushed_++, segment, written});
    }

    template <typename Visit>
    void every_segment(const Visit& visit) {
        for (std::uint32_t copy = 0; copy < parameters_.adapters.size(); ++copy)
            for (StepId id = 0; id < schedule_.steps.size(); ++id)
                for (std::uint64_t segment = 0; segment < dependencies_.segments(id); ++segment)
                    visit(Segment{copy, id, segment});
    }

    void start() {
        every_segment([&](const Segment& one) {
            dependencies_.successors(one.step, one.segment, [&](StepId step, std::uint64_t segment) {
                ++state({one.copy, step, segment}).waits;
            });
        });
        every_segment([&](const Segment& one) {
            if (state(one).waits == 0) ready(one, 0);
        });
    }

    // Segments from other servers are requested first.
    void ready(const Segment& segment, Time at) {
        if (remote(step(segment).transfer.sources, segment).empty())
            gathered(segment, at, parameters_.step);
        else
            push(at + parameters_.step + network_.parameters().latency, segment, false);
    }
    void read(const Segment& segment, Time at) {
        for (const BufferAddress& source : remote(step(segment).transfer.sources, segment))
            send(segment, source.rank, step(segment).rank, at);
    }
    // Everything that the segment reads is in its server. A segment that is only sent on is sent from its
    // place.
    void gathered(const Segment& segment, Time at, Time start) {
        const auto& transfer = step(segment).transfer;
        const bool sent_on = transfer.combine == Combine::Copy &&
                             remote(transfer.destinations, segment).size() == transfer.destinations.size();
        if (!sent_on) {
            Time& free = free_at_[segment.copy * schedule_.lists.size() + step(segment).rank];
            free = std::max(at, free) + combining(segment);
            at = free;
        }
        push(at + start, segment, true);
    }
    void write(const Segment& segment, Time at) {
        state(segment).written = true;
        const auto places = remote(step(segment).transfer.destinations, segment);
        for (const BufferAddress& destination : places)
            send(segment, step(segment).rank, destination.rank, at);
        if (places.empty()) complete(segment, at);
    }

    std::vector<BufferAddress> remote(const std::vector<ElementRun>& operands, const Segment& segment) const {
        std::vector<BufferAddress> places;
        for (const ElementRun& operand : operands)
            if (operand.place.rank != step(segment).rank) places.push_back(operand.place);
        return places;
    }

    void send(const Segment& segment, collectives::Rank from, collectives::Rank to, Time at) {
        const unsigned adapter = parameters_.adapters[segment.copy];
        const auto message =
            network_.send({from, adapter}, {to, adapter}, bytes(segment) * parameters_.ranks, at, 0);
        messages_.resize(message + 1);
        messages_[message] = segment;
        ++state(segment).messages;
    }
    void arrived(tlm::efa::MessageId message, Time at) {
        const Segment segment = messages_.at(message);
        if (--state(segment).messages != 0) return;
        state(segment).written ? complete(segment, at) : gathered(segment, at, 0);
    }

    void complete(const Segment& segment, Time at) {
        ++complete_;
        end_ = std::max(end_, at);
        dependencies_.successors(segment.step, segment.segment, [&](StepId step, std::uint64_t successor) {
            const Segment next{segment.copy, step, successor};
            if (--state(next).waits == 0) ready(next, at);
        });
    }

    const collectives::Schedule& schedule_;
    const ExchangeParameters& parameters_;
    Network& network_;
    Dependencies dependencies_;
    std::vector<State> states_;  // for every segment of every copy
    std::vector<Time> free_at_;  // times at which a server's engines are free, for every copy
    std::priority_queue<Event> events_;
    std::uint64_t events_pushed_ = 0, complete_ = 0;
    std::vector<Segment> messages_;  // index: message
    Time end_ = 0;
};

}  // namespace

Time play(const collectives::Schedule& schedule, const ExchangeParameters& parameters, Network& network) {
    return Player(schedule, parameters, network).run();
}

}  // namespace trnsim::cluster
