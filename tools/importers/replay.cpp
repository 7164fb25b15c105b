#include "tools/importers/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "isa/element_type.hpp"
#include "tools/importers/error.hpp"

namespace trnsim::importers {
namespace {

using collectives::Operation;
using collectives::Rank;

struct CommOperation {
    CommType type;
    Operation operation;
};
constexpr std::array CommOperations{CommOperation{CommType::AllReduce, Operation::AllReduce},
                                    CommOperation{CommType::AllGather, Operation::AllGather},
                                    CommOperation{CommType::Broadcast, Operation::Broadcast},
                                    CommOperation{CommType::AllToAll, Operation::AllToAll},
                                    CommOperation{CommType::ReduceScatter, Operation::ReduceScatter},
                                    CommOperation{CommType::Barrier, Operation::Barrier}};

// A communication that ranks have in common.
struct Event {
    Operation operation = Operation::AllReduce;
    std::uint64_t bytes = 0;      // input of a rank
    std::vector<Rank> members{};  // of a send: source, destination
    std::uint64_t root = 0;
    std::string place{};            // where it was met first
    std::set<Rank> met{};           // members whose traces have it
    std::set<std::size_t> after{};  // events
};

bool communicates(const TraceNode& node) {
    return node.type == NodeType::Send || node.type == NodeType::Receive || node.type == NodeType::Collective;
}

std::string place_of(const Trace& trace, const TraceNode& node) {
    return fmt::format("{}: node {} '{}'", trace.file.string(), node.id, node.name);
}

// Finds the events of all ranks: the k-th communication of a group on one of its ranks is the k-th on the
// others.
class Matcher {
  public:
    Matcher(const std::vector<Trace>& traces, const ReplayOptions& options)
        : traces_(traces), options_(options) {}

    std::vector<Event> events() {
        for (Rank rank = 0; rank < traces_.size(); ++rank) match(rank);
        for (const Event& event : events_) {
            if (event.met.size() != event.members.size())
                throw Error(fmt::format("{}: found on {} ranks, expected all {} of its group", event.place,
                                        event.met.size(), event.members.size()));
        }
        return std::move(events_);
    }

  private:
    // The group, operation and tag by which ranks find each other.
    using Key = std::tuple<std::vector<Rank>, bool, std::uint64_t>;

    void match(Rank rank) {
        const Trace& trace = traces_[rank];
        std::map<Key, std::size_t> counts;
        // Events that a node comes after, directly or through nodes that do not communicate.
        std::unordered_map<std::uint64_t, std::set<std::size_t>> before;
        for (const TraceNode& node : trace.nodes) {
            std::set<std::size_t>& events = before[node.id];
            for (const std::uint64_t id : node.after) events.insert(before[id].begin(), before[id].end());
            if (!communicates(node)) continue;
            Event found = event_of(trace, node, rank);
            const bool collective = node.type == NodeType::Collective;
            const Key key{found.members, collective, collective ? 0 : node.tag};
            const std::size_t event = meet(key, counts[key]++, std::move(found), rank);
            events_[event].after.insert(events.begin(), events.end());
            events = {event};
        }
    }

    std::size_t meet(const Key& key, std::size_t count, Event&& found, Rank rank) {
        std::vector<std::size_t>& known = known_[key];
        if (count == known.size()) {
            known.push_back(events_.size());
            events_.push_back(std::move(found));
        } else {
            const Event& there = events_[known[count]];
            if (there.operation != found.operation || there.bytes != found.bytes || there.root != found.root)
                throw Error(fmt::format("{}: found {} of {} bytes, expected {} of {} bytes as at {}",
                                        found.place, collectives::name(found.operation), found.bytes,
                                        collectives::name(there.operation), there.bytes, there.place));
        }
        events_[known[count]].met.insert(rank);
        return known[count];
    }

    Event event_of(const Trace& trace, const TraceNode& node, Rank rank) const {
        Event event{.bytes = node.bytes, .place = place_of(trace, node)};
        if (node.type == NodeType::Collective) {
            if (!node.comm) throw Error(fmt::format("{}: no comm_type, expected it", event.place));
            const auto* row = std::ranges::find(CommOperations, *node.comm, &CommOperation::type);
            if (row == CommOperations.end())
                throw Error(
                    fmt::format("{}: found collective {}, expected all-reduce, all-gather, broadcast, "
                                "all-to-all, reduce-scatter or barrier",
                                event.place, static_cast<unsigned>(*node.comm)));
            event.operation = row->operation;
            event.members = group_of(node, event.place);
            event.root = node.root;
            if (event.operation == Operation::Barrier) event.bytes = 1;
        } else {
            const auto peer = static_cast<Rank>(node.peer);
            event.operation = Operation::SendReceive;
            event.members = node.type == NodeType::Send ? std::vector{rank, peer} : std::vector{peer, rank};
            if (node.peer >= traces_.size() || peer == rank)
                throw Error(fmt::format("{}: found rank {}, expected another one below {}", event.place,
                                        node.peer, traces_.size()));
        }
        if (event.bytes == 0) throw Error(fmt::format("{}: no comm_size, expected it", event.place));
        if (std::ranges::find(event.members, rank) == event.members.end())
            throw Error(fmt::format("{}: rank {} is not in group '{}', expected one of its ranks",
                                    event.place, rank, node.group));
        return event;
    }

    std::vector<Rank> group_of(const TraceNode& node, const std::string& place) const {
        std::vector<Rank> ranks;
        if (const auto group = options_.groups.find(node.group); group != options_.groups.end()) {
            ranks.assign(group->second.begin(), group->second.end());
        } else if (node.group.empty() || options_.groups.empty()) {
            ranks.resize(traces_.size());
            std::iota(ranks.begin(), ranks.end(), Rank{0});
        } else {
            throw Error(fmt::format("{}: found group '{}', expected one of --groups", place, node.group));
        }
        for (const Rank rank : ranks)
            if (rank >= traces_.size())
                throw Error(fmt::format("{}: group '{}' has rank {}, expected ranks below {}", place,
                                        node.group, rank, traces_.size()));
        return ranks;
    }

    const std::vector<Trace>& traces_;
    const ReplayOptions& options_;
    std::vector<Event> events_;
    std::map<Key, std::vector<std::size_t>> known_;  // events of a key in their order
};

// Returns the events in an order in which each comes after those before it.
std::vector<std::size_t> order_of(const std::vector<Event>& events) {
    std::vector<std::size_t> order;
    std::vector<bool> done(events.size());
    while (order.size() < events.size()) {
        const std::size_t before = order.size();
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (done[i] || !std::ranges::all_of(events[i].after, [&](std::size_t e) { return done[e]; }))
                continue;
            done[i] = true;
            order.push_back(i);
        }
        if (order.size() != before) continue;
        const auto stuck = std::ranges::find(done, false) - done.begin();
        throw Error(
            fmt::format("{}: waits for communications that wait for it, expected an order of all ranks",
                        events[static_cast<std::size_t>(stuck)].place));
    }
    return order;
}

class Kernel {
  public:
    Kernel(const ReplayOptions& options, std::size_t ranks, const target::Chip& target)
        : options_(options),
          ranks_(static_cast<Rank>(ranks)),
          builder_(options.name, fmt::format("ranks={}", ranks), target),
          queue_(builder_.queue("collectives", isa::Engine::Gpsimd)) {}

    neff::Package build(const std::vector<Event>& events) {
        std::vector<builder::Event> done(events.size());
        for (const std::size_t i : order_of(events)) {
            builder::After after;
            for (const std::size_t before : events[i].after) after.push_back(done[before]);
            done[i] = add(events[i], i, after);
        }
        return builder_.finish();
    }

  private:
    builder::Event add(const Event& event, std::size_t number, const builder::After& after) {
        neff::Collective collective;
        collectives::Request& request = collective.request;
        request.operation = event.operation;
        request.dtype = collectives::reduces(event.operation) ? options_.dtype : isa::Dtype::U8;
        request.ranks = ranks_;
        request.root = root_of(event);
        request.groups = {event.members};
        if (event.operation == Operation::SendReceive)
            request.pairs = {{event.members.front(), event.members.back()}};
        const auto algorithm = options_.algorithms.find(event.operation);
        if (algorithm != options_.algorithms.end()) collective.algorithm = algorithm->second;
        const bool parts =
            event.operation == Operation::ReduceScatter || event.operation == Operation::AllToAll;
        const std::uint64_t unit =
            isa::element_size(request.dtype) * (parts ? std::uint64_t{event.members.size()} : 1);
        if (event.bytes % unit != 0)
            throw Error(
                fmt::format("{}: found {} bytes, expected a multiple of {}", event.place, event.bytes, unit));
        request.count = event.bytes / unit;
        try {
            return add(collective, number, after);
        } catch (const builder::CallError& error) {  // its place is a line of this file
            throw Error(fmt::format("{}: {}", event.place, error.reason));
        } catch (const std::runtime_error& error) {
            throw Error(fmt::format("{}: {}", event.place, error.what()));
        }
    }

    // Returns the position of the root in its group.
    static std::uint32_t root_of(const Event& event) {
        if (event.operation != Operation::Broadcast) return 0;
        const auto root = std::ranges::find(event.members, static_cast<Rank>(event.root));
        if (root == event.members.end())
            throw Error(
                fmt::format("{}: found root {}, expected a rank of its group", event.place, event.root));
        return static_cast<std::uint32_t>(root - event.members.begin());
    }

    builder::Event add(const neff::Collective& collective, std::size_t number, const builder::After& after) {
        const collectives::Request& request = collective.request;
        const collectives::Sizes sizes = collectives::sizes_of(request, request.groups.front().size());
        return builder_.collective(queue_, tensor("y", number, request.dtype, sizes.output),
                                   tensor("x", number, request.dtype, sizes.input), collective, after);
    }

    builder::TensorView tensor(const char* name, std::size_t number, isa::Dtype dtype,
                               std::uint64_t elements) {
        // Ranks that take no part write nothing: what arrives is no output of the kernel.
        const auto kind = *name == 'x' ? neff::TensorKind::Input : neff::TensorKind::Scratch;
        return builder_.tensor(fmt::format("{}{}", name, number), kind, dtype, {1, elements});
    }

    const ReplayOptions& options_;
    Rank ranks_;
    builder::KernelBuilder builder_;
    builder::Queue queue_;
};

}  // namespace

Replay replay_of(const std::vector<Trace>& traces, const ReplayOptions& options, const target::Chip& target) {
    if (traces.size() < 2)
        throw Error(fmt::format("found {} traces, expected one for each of several ranks", traces.size()));
    const std::vector<Event> events = Matcher(traces, options).events();
    if (events.empty())
        throw Error(fmt::format("{}: no communication, expected some", traces.front().file.string()));
    Replay replay{Kernel(options, traces.size(), target).build(events), events.size()};
    for (const Trace& trace : traces) {
        for (const TraceNode& node : trace.nodes) {
            const bool works = node.type == NodeType::Compute || node.type == NodeType::MemLoad ||
                               node.type == NodeType::MemStore;
            if (!works) continue;
            ++replay.left_out;
            if (&trace == &traces.front()) replay.left_microseconds += node.microseconds;
        }
    }
    return replay;
}

}  // namespace trnsim::importers
