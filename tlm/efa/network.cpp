#include "tlm/efa/network.hpp"

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
    in_range("oversubscription", parameters.oversubscription, 1, 1000);
}

}  // namespace

Network::Network(unsigned servers, const Parameters& parameters)
    : parameters_(parameters), servers_(servers) {
    check(servers, parameters);
    const double bandwidth = static_cast<double>(parameters.bandwidth) * parameters.efficiency;
    adapters_.resize(std::size_t{servers} * parameters.adapters);
    capacities_.assign(2 * adapters_.size(), bandwidth);
    if (parameters.servers_per_leaf == 0) return;
    const unsigned leaves = (servers + parameters.servers_per_leaf - 1) / parameters.servers_per_leaf;
    const double upward =
        bandwidth * parameters.adapters * parameters.servers_per_leaf / parameters.oversubscription;
    capacities_.insert(capacities_.end(), 2 * std::size_t{leaves}, upward);
}

std::size_t Network::index(Adapter adapter) const {
    require(adapter.server < servers_ && adapter.number < parameters_.adapters,
            fmt::format("efa: found adapter {} of server {}, expected one of {} of {} servers",
                        adapter.number, adapter.server, parameters_.adapters, servers_));
    return std::size_t{adapter.server} * parameters_.adapters + adapter.number;
}

Path Network::path(Adapter from, Adapter to) const {
    const auto resource = [](std::size_t pair, bool receives) {
        return static_cast<std::uint32_t>(2 * pair + (receives ? 1 : 0));
    };
    Path path;
    path.add(resource(index(from), false));
    path.add(resource(index(to), true));
    if (const unsigned servers = parameters_.servers_per_leaf;
        servers != 0 && from.server / servers != to.server / servers) {
        path.add(resource(adapters_.size() + from.server / servers, false));
        path.add(resource(adapters_.size() + to.server / servers, true));
    }
    return path;
}

double Network::wire_bytes(std::uint64_t bytes) const {
    const std::uint64_t packets =
        std::max<std::uint64_t>((bytes + parameters_.packet - 1) / parameters_.packet, 1);
    return static_cast<double>(bytes) + static_cast<double>(packets) * parameters_.header;
}

MessageId Network::send(Adapter from, Adapter to, std::uint64_t bytes, Time at) {
    const Path way = path(from, to);
    require(
        from.server != to.server,
        fmt::format("efa: found a message within server {}, expected adapters of two servers", from.server));
    if (at != now_) step_to(at);  // rates are worked out once for all messages that begin at a time
    const MessageId message = messages_++;
    const Flow flow{.from = from, .to = to, .bytes = bytes, .left = wire_bytes(bytes), .path = way};
    if (adapters_[index(from)].connected && adapters_[index(to)].connected) {
        flows_.emplace(message, flow);
        shared_ = false;
    } else {
        finish(message, flow, at, false);
    }
    return message;
}

void Network::disconnect(Adapter adapter, Time at) {
    State& state = adapters_[index(adapter)];
    step_to(at);
    state.connected = false;
    std::erase_if(flows_, [&](const auto& entry) {
        const Flow& flow = entry.second;
        const bool lost = flow.from == adapter || flow.to == adapter;
        if (lost) finish(entry.first, flow, at, false);
        return lost;
    });
    shared_ = false;
}

void Network::connect(Adapter adapter, Time at) {
    State& state = adapters_[index(adapter)];
    step_to(at);
    state.connected = true;
}

// A loss is told of at once, an arrival after the latency.
void Network::finish(MessageId message, const Flow& flow, Time at, bool complete) {
    const Time told = complete ? at + parameters_.latency : at;
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
}

// Only a change of rates brings the flows up to date, so that results do not depend on how often they are
// asked for.
void Network::share() {
    if (std::exchange(shared_, true)) return;
    const double seconds = static_cast<double>(now_ - rated_at_) / static_cast<double>(FsPerSecond);
    rated_at_ = now_;
    std::vector<Path> paths;
    paths.reserve(flows_.size());
    for (const auto& [message, flow] : flows_) paths.push_back(flow.path);
    const auto rates = fair_shares(paths, capacities_);
    std::size_t k = 0;
    for (auto& [message, flow] : flows_) {
        flow.left = std::max(flow.left - flow.rate * seconds, 0.0);
        flow.rate = rates[k++];
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
        std::erase_if(flows_, [&](const auto& entry) {
            if (entry.second.end > now_) return false;
            finish(entry.first, entry.second, now_, true);
            return true;
        });
        shared_ = false;
    }
    now_ = to;
}

std::optional<Time> Network::next() {
    if (flows_.empty() && arrivals_.empty()) return std::nullopt;
    share();
    const Time known = arrivals_.empty() ? std::numeric_limits<Time>::max() : arrivals_.begin()->first.first;
    return std::max(now_, flows_.empty() ? known : std::min(known, first_end() + parameters_.latency));
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

}  // namespace trnsim::tlm::efa
