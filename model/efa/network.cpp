#include "model/efa/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace trnsim::tlm::efa {

namespace {

void require(bool condition, const std::string& message) {
    if (!condition) throw std::invalid_argument(message);
}

constexpr double Full = 1 - 1e-9;  // share of a capacity that counts as all of it, because of rounding

void check(unsigned servers, const Parameters& parameters) {
    const auto in_range = [](const char* name, double value, double least, double most) {
        require(value >= least && value <= most,
                fmt::format("efa.{}: found {}, expected {} to {}", name, value, least, most));
    };
    in_range("servers", servers, 1, 65'536);
    in_range("adapters", parameters.adapters, 1, 64);
    in_range("bandwidth", static_cast<double>(parameters.bandwidth), 1e6, 1e13);
    in_range("efficiency", parameters.efficiency, 0.01, 1);
    in_range("latency", static_cast<double>(parameters.latency), 0, static_cast<double>(FsPerSecond));
    in_range("packet", parameters.packet, 1, 1 << 20);
    in_range("header", parameters.header, 0, 65'536);
    in_range("hop", static_cast<double>(parameters.hop), 0, static_cast<double>(FsPerSecond));
    unsigned below = 1;
    for (const auto& [servers_of_switch, oversubscription] : parameters.tiers) {
        in_range("oversubscription", oversubscription, 1.0 / 64, 1000);
        if (servers_of_switch == 0) {
            below = 0;
            continue;
        }
        require(below != 0 && servers_of_switch % std::max(below, 1u) == 0,
                fmt::format("efa.tiers: found switches of {} servers, expected a multiple of those below, {}",
                            servers_of_switch, below));
        below = servers_of_switch;
    }
}

}  // namespace

std::string_view name(LinkKind kind) {
    constexpr std::string_view Names[] = {"send",      "receive",  "leaf-up",
                                          "leaf-down", "spine-up", "spine-down"};
    return Names[static_cast<std::size_t>(kind)];
}

Network::Network(unsigned servers, const Parameters& parameters)
    : parameters_(parameters), servers_(servers) {
    check(servers, parameters);
    const double bandwidth = static_cast<double>(parameters.bandwidth) * parameters.efficiency;
    adapters_.resize(std::size_t{servers} * parameters.adapters);
    add_resources(LinkKind::Send, adapters_.size(), bandwidth);
    constexpr LinkKind Upward[Tiers] = {LinkKind::LeafUp, LinkKind::SpineUp};
    for (std::size_t tier = 0; tier < Tiers; ++tier) {
        const auto& [below, oversubscription] = parameters.tiers[tier];
        if (below == 0) break;
        first_of_tier_[tier] = capacities_.size() / 2;
        add_resources(Upward[tier], (servers + below - 1) / below,
                      bandwidth * parameters.adapters * below / oversubscription);
    }
}

// Adds pairs of resources: one way out and one way in.
void Network::add_resources(LinkKind kind, std::size_t pairs, double capacity) {
    const auto other = static_cast<LinkKind>(static_cast<std::size_t>(kind) + 1);
    for (std::uint32_t pair = 0; pair < pairs; ++pair) {
        resources_.push_back({kind, pair});
        resources_.push_back({other, pair});
    }
    capacities_.insert(capacities_.end(), 2 * pairs, capacity);
}

std::size_t Network::index(Adapter adapter) const {
    require(adapter.server < servers_ && adapter.number < parameters_.adapters,
            fmt::format("efa: found adapter {} of server {}, expected one of {} of {} servers",
                        adapter.number, adapter.server, parameters_.adapters, servers_));
    return std::size_t{adapter.server} * parameters_.adapters + adapter.number;
}

unsigned Network::climb(Adapter from, Adapter to) const {
    unsigned tiers = 0;
    for (const Tier& tier : parameters_.tiers) {
        if (tier.servers == 0 || from.server / tier.servers == to.server / tier.servers) break;
        ++tiers;
    }
    return tiers;
}

Path Network::path(Adapter from, Adapter to) const {
    const auto resource = [](std::size_t pair, bool receives) {
        return static_cast<std::uint32_t>(2 * pair + (receives ? 1 : 0));
    };
    Path path;
    path.add(resource(index(from), false));
    path.add(resource(index(to), true));
    for (unsigned tier = 0, tiers = climb(from, to); tier < tiers; ++tier) {
        const unsigned servers = parameters_.tiers[tier].servers;
        path.add(resource(first_of_tier_[tier] + from.server / servers, false));
        path.add(resource(first_of_tier_[tier] + to.server / servers, true));
    }
    return path;
}

double Network::wire_bytes(std::uint64_t bytes) const {
    const std::uint64_t packets =
        std::max<std::uint64_t>((bytes + parameters_.packet - 1) / parameters_.packet, 1);
    return static_cast<double>(bytes) + static_cast<double>(packets) * parameters_.header;
}

MessageId Network::send(Adapter from, Adapter to, std::uint64_t bytes, Time at,
                        std::optional<Stream> stream) {
    const Path way = path(from, to);
    require(
        from.server != to.server,
        fmt::format("efa: found a message within server {}, expected adapters of two servers", from.server));
    if (at != now_) step_to(at);  // rates are worked out once for all messages that begin at a time
    const MessageId message = messages_++;
    Flow flow{.from = from,
              .to = to,
              .bytes = bytes,
              .wire = wire_bytes(bytes),
              .path = way,
              .latency = parameters_.latency + Time{2} * climb(from, to) * parameters_.hop,
              .stream = stream};
    if (stream && adapters_[index(from)].connected && adapters_[index(to)].connected) {
        const auto [turns, first] = streams_.try_emplace({index(from), index(to), *stream});
        if (!first) {
            turns->second.emplace_back(message, flow);
            return message;
        }
    }
    begin(message, flow);
    return message;
}

void Network::begin(MessageId message, Flow flow) {
    flow.begun = now_;
    if (adapters_[index(flow.from)].connected && adapters_[index(flow.to)].connected) {
        flows_.emplace(message, flow);
        shared_ = false;
    } else {
        finish(message, flow, now_, false);
    }
}

void Network::disconnect(Adapter adapter, Time at) {
    State& state = adapters_[index(adapter)];
    step_to(at);
    state.connected = false;
    const auto concerns = [&](const Flow& flow) { return flow.from == adapter || flow.to == adapter; };
    std::erase_if(flows_, [&](const auto& entry) {
        const Flow& flow = entry.second;
        if (!concerns(flow)) return false;
        count(flow, flow.rate * seconds_since(rated_at_));
        finish(entry.first, flow, at, false);
        return true;
    });
    std::erase_if(streams_, [&](const auto& entry) {
        const auto& [from, to, number] = entry.first;
        if (from != index(adapter) && to != index(adapter)) return false;
        for (const auto& [message, flow] : entry.second) finish(message, flow, at, false);
        return true;
    });
    shared_ = false;
}

void Network::connect(Adapter adapter, Time at) {
    State& state = adapters_[index(adapter)];
    step_to(at);
    state.connected = true;
}

// A lost message is reported at once, an arrival after the latency.
void Network::finish(MessageId message, const Flow& flow, Time at, bool complete) {
    const Time told = complete ? at + flow.latency : at;
    arrivals_[{told, message}] = {message, told, complete};
    AdapterStatistics& sender = adapters_[index(flow.from)].counts;
    AdapterStatistics& receiver = adapters_[index(flow.to)].counts;
    if (!complete) {
        ++sender.messages_lost;
        return;
    }
    ++sender.messages_sent;
    ++receiver.messages_received;
    sender.bytes_sent += flow.bytes;
    receiver.bytes_received += flow.bytes;
    double capacity = std::numeric_limits<double>::infinity();
    for (const auto r : flow.path) capacity = std::min(capacity, capacities_[r]);
    const double alone = flow.wire / capacity;
    const double taken = static_cast<double>(at - flow.begun) / static_cast<double>(FsPerSecond);
    ++waiting_.messages;
    waiting_.alone += alone;
    waiting_.taken += taken;
    if (alone > 0) waiting_.worst = std::max(waiting_.worst, taken / alone);
}

double Network::seconds_since(Time time) const {
    return static_cast<double>(now_ - time) / static_cast<double>(FsPerSecond);
}

void Network::count(const Flow& flow, double bytes) {
    for (const auto r : flow.path) resources_[r].bytes += std::min(bytes, flow.left);
}

void Network::next_of_stream(const Flow& flow) {
    if (!flow.stream) return;
    const auto turns = streams_.find({index(flow.from), index(flow.to), *flow.stream});
    if (turns == streams_.end()) return;
    auto& behind = turns->second;
    if (behind.empty()) {
        streams_.erase(turns);
        return;
    }
    const auto [message, next] = behind.front();
    behind.pop_front();
    begin(message, next);
}

// Only a change of rates updates the flows, so that results do not depend on how often they are asked for.
void Network::bring_up_to_date() {
    const double seconds = seconds_since(rated_at_);
    for (std::size_t r = 0; r < resources_.size(); ++r) {
        if (resources_[r].given >= Full * capacities_[r]) resources_[r].full += now_ - rated_at_;
    }
    for (auto& [message, flow] : flows_) {
        count(flow, flow.rate * seconds);
        flow.left = std::max(flow.left - flow.rate * seconds, 0.0);
    }
    rated_at_ = now_;
}

void Network::share() {
    if (std::exchange(shared_, true)) return;
    bring_up_to_date();
    std::vector<Path> paths;
    paths.reserve(flows_.size());
    for (const auto& [message, flow] : flows_) paths.push_back(flow.path);
    const auto rates = fair_shares(paths, capacities_);
    for (Resource& resource : resources_) resource.given = 0;
    std::size_t k = 0;
    for (auto& [message, flow] : flows_) {
        flow.rate = rates[k++];
        for (const auto r : flow.path) resources_[r].given += flow.rate;
        flow.end =
            now_ + static_cast<Time>(std::ceil(flow.left / flow.rate * static_cast<double>(FsPerSecond)));
    }
}

Time Network::first_end() const {
    Time end = std::numeric_limits<Time>::max();
    for (const auto& [message, flow] : flows_) end = std::min(end, flow.end);
    return end;
}

void Network::step_to(Time to) {
    require(to >= now_, fmt::format("efa: found a call for {} fs, expected {} fs or later", to, now_));
    for (share(); first_end() <= to; share()) {
        now_ = first_end();
        std::vector<Flow> ended;
        std::erase_if(flows_, [&](const auto& entry) {
            if (entry.second.end > now_) return false;
            count(entry.second, entry.second.left);
            finish(entry.first, entry.second, now_, true);
            ended.push_back(entry.second);
            return true;
        });
        for (const Flow& flow : ended) next_of_stream(flow);
        shared_ = false;
    }
    now_ = to;
}

std::optional<Time> Network::next() {
    if (flows_.empty() && arrivals_.empty()) return std::nullopt;
    share();
    Time next = arrivals_.empty() ? std::numeric_limits<Time>::max() : arrivals_.begin()->first.first;
    const Time end = first_end();
    for (const auto& [message, flow] : flows_) next = std::min(next, end + flow.latency);
    return std::max(now_, next);
}

std::vector<Arrival> Network::advance(Time to) {
    step_to(to);
    std::vector<Arrival> told;
    while (!arrivals_.empty() && arrivals_.begin()->first.first <= to) {
        told.push_back(arrivals_.begin()->second);
        arrivals_.erase(arrivals_.begin());
    }
    return told;
}

double Network::rate(MessageId message) {
    step_to(now_);
    const auto flow = flows_.find(message);
    return flow == flows_.end() ? 0 : flow->second.rate;
}

// Adds what has passed since the last change of rates, without changing the state.
std::vector<LinkStatistics> Network::links() {
    step_to(now_);
    const double seconds = seconds_since(rated_at_);
    std::vector<LinkStatistics> links;
    links.reserve(resources_.size());
    for (std::size_t r = 0; r < resources_.size(); ++r) {
        const Resource& resource = resources_[r];
        const bool full = resource.given >= Full * capacities_[r];
        links.push_back({resource.kind, resource.number, capacities_[r],
                         resource.bytes + resource.given * seconds,
                         resource.full + (full ? now_ - rated_at_ : 0)});
    }
    return links;
}

}  // namespace trnsim::tlm::efa
