#include "model/fabric/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace trnsim::tlm::fabric {
namespace {

constexpr Time PerturbUnit = 8'000'000;  // fs

// Keeps a transaction from being reused while its end is passed on.
class Hold {
  public:
    explicit Hold(Payload& payload) : payload_(payload) { payload_.acquire(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { payload_.release(); }

  private:
    Payload& payload_;
};

}  // namespace

Fabric::Fabric(const sc_core::sc_module_name& name, unsigned initiators, unsigned targets,
               std::span<const Range> map, Time latency, perturb::Seed seed, Sides sides)
    : sc_module(name),
      map_(map.begin(), map.end()),
      latency_(latency),
      crossing_(std::move(sides)),
      requests_(targets),
      responses_(initiators),
      perturbed_(seed.has_value()) {
    std::sort(map_.begin(), map_.end(), [](const Range& a, const Range& b) { return a.base < b.base; });
    for (std::size_t i = 0; i < map_.size(); ++i) {
        if (map_[i].target >= targets) {
            throw std::invalid_argument(
                fmt::format("fabric range at 0x{:x} leads to target {}, expected one below {}", map_[i].base,
                            map_[i].target, targets));
        }
        if (i > 0 && map_[i - 1].base + map_[i - 1].size > map_[i].base) {
            throw std::invalid_argument(
                fmt::format("fabric ranges at 0x{:x} and 0x{:x} overlap", map_[i - 1].base, map_[i].base));
        }
    }
    for (unsigned i = 0; i < initiators; ++i) {
        from_.push_back(std::make_unique<TargetSocket>(fmt::format("from_{}", i).c_str()));
        from_[i]->register_nb_transport_fw(this, &Fabric::forward, static_cast<int>(i));
        from_[i]->register_b_transport(this, &Fabric::blocking, static_cast<int>(i));
        from_[i]->register_transport_dbg(this, &Fabric::debug, static_cast<int>(i));
    }
    for (unsigned i = 0; i < targets; ++i) {
        to_.push_back(std::make_unique<InitiatorSocket>(fmt::format("to_{}", i).c_str()));
        to_[i]->register_nb_transport_bw(this, &Fabric::backward, static_cast<int>(i));
    }
    for (unsigned i = 0; i < initiators; ++i) {
        const perturb::Agent agent(seed, fmt::format("fabric {}", i));
        for (unsigned t = 0; t < targets; ++t)
            ways_.push_back({perturb::Delay(agent, fmt::format("to {}", t), PerturbUnit)});
        returns_.emplace_back(agent, "back", PerturbUnit);
    }
}

Fabric::Way& Fabric::way(int initiator, unsigned target) {
    return ways_[static_cast<std::size_t>(initiator) * to_.size() + target];
}

const Range* Fabric::decode(const Payload& payload) const {
    const std::uint64_t address = payload.get_address();
    auto after = std::upper_bound(map_.begin(), map_.end(), address,
                                  [](std::uint64_t a, const Range& range) { return a < range.base; });
    if (after == map_.begin()) return nullptr;
    const Range& range = *--after;
    const std::uint64_t offset = address - range.base;
    const std::uint64_t length = payload.get_data_length();
    return offset < range.size && length <= range.size - offset ? &range : nullptr;
}

Sync Fabric::forward(int initiator, Payload& payload, Phase& phase, sc_core::sc_time& delay) {
    const Time at = now() + delay.value();
    if (phase == ::tlm::END_RESP) {
        end_response(payload, at);
        return ::tlm::TLM_COMPLETED;
    }
    if (phase != ::tlm::BEGIN_REQ) return ::tlm::TLM_ACCEPTED;
    const Range* range = decode(payload);
    if (range == nullptr) {
        payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
        delay += to_sc(2 * latency_);
        return ::tlm::TLM_COMPLETED;
    }
    payload.set_address(payload.get_address() - range->base);
    Route& route = routes_.add(payload, {initiator, range->target, true, false});
    const Time crossing = crossing_.delay(payload, static_cast<unsigned>(initiator), range->target, at);
    const Time late = payload.is_read() ? 0 : crossing;  // delay of the request
    route.late = crossing - late;
    if (perturbed_ || late != 0) {
        route.held = false;
        if (perturbed_)
            delay_request(payload, at + late, route);
        else
            arrive_later(payload, at + latency_ + late, true);
        phase = ::tlm::END_REQ;
        return ::tlm::TLM_UPDATED;
    }
    Channel& channel = requests_[range->target];
    if (channel.owner != nullptr || !channel.waiting.empty()) {
        channel.waiting.push_back({&payload, at + latency_});
        if (channel.waiting.size() > QueueDepth) return ::tlm::TLM_ACCEPTED;
        route.held = false;
        phase = ::tlm::END_REQ;
        return ::tlm::TLM_UPDATED;
    }
    Time target_time = at + latency_;
    const Sync result = send_request(payload, phase, target_time, range->target);
    if (result == ::tlm::TLM_UPDATED)
        route.held = false;  // END_REQ; the fabric takes it at once, so without the latency
    if (result != ::tlm::TLM_COMPLETED) return result;
    delay = delay_until(target_time + latency_ + route.late);
    routes_.erase(payload);
    return result;
}

// Sends a request on. `at` is the time when it reaches the target; it is changed to the time when the target
// answered. A response within the call ends the transaction with the target.
Sync Fabric::send_request(Payload& payload, Phase& phase, Time& at, unsigned target) {
    Channel& channel = requests_[target];
    channel.owner = &payload;
    phase = ::tlm::BEGIN_REQ;
    sc_core::sc_time delay = delay_until(at);
    Sync result = (*to_[target])->nb_transport_fw(payload, phase, delay);
    if (result == ::tlm::TLM_ACCEPTED) return result;
    at = now() + delay.value();
    channel.owner = nullptr;
    if (result == ::tlm::TLM_UPDATED && phase == ::tlm::BEGIN_RESP) {
        Phase end = ::tlm::END_RESP;
        (*to_[target])->nb_transport_fw(payload, end, delay);
        result = ::tlm::TLM_COMPLETED;
    }
    return result;
}

// The request channel of a target is free: sends the requests that wait for it.
void Fabric::send_requests(unsigned target, Time from) {
    Channel& channel = requests_[target];
    while (channel.owner == nullptr && !channel.waiting.empty()) {
        const Waiting next = channel.waiting.front();
        channel.waiting.pop_front();
        if (channel.waiting.size() >= QueueDepth) {
            const Waiting& entering = channel.waiting[QueueDepth - 1];
            end_request(*entering.payload, std::max(from, entering.at - latency_));
        }
        Phase phase = ::tlm::BEGIN_REQ;
        Time at = std::max(next.at, from);
        const Sync result = send_request(*next.payload, phase, at, target);
        if (result == ::tlm::TLM_ACCEPTED) return;
        Route& route = routes_.at(*next.payload);
        const Hold hold(*next.payload);
        if (result == ::tlm::TLM_UPDATED) {
            end_request(*next.payload, at);
            continue;
        }
        route.ended = true;
        if (perturbed_) {
            delay_response(*next.payload, at, route);
            continue;
        }
        if (send_response(*next.payload, at + latency_ + route.late, route.initiator) != ::tlm::TLM_ACCEPTED)
            routes_.erase(*next.payload);
    }
}

void Fabric::end_request(Payload& payload, Time at) {
    Route& route = routes_.at(payload);
    if (!route.held) return;
    route.held = false;
    Phase phase = ::tlm::END_REQ;
    sc_core::sc_time delay = delay_until(at);
    (*from_[route.initiator])->nb_transport_bw(payload, phase, delay);
}

Sync Fabric::backward(int target, Payload& payload, Phase& phase, sc_core::sc_time& delay) {
    const Time at = now() + delay.value();
    const bool frees = requests_[target].owner == &payload;
    if (frees) requests_[target].owner = nullptr;
    Sync result = ::tlm::TLM_ACCEPTED;
    if (phase == ::tlm::END_REQ) {
        end_request(payload, at);
    } else if (phase == ::tlm::BEGIN_RESP && perturbed_) {
        delay_response(payload, at, routes_.at(payload));
        result = ::tlm::TLM_COMPLETED;
    } else if (phase == ::tlm::BEGIN_RESP) {
        const Route& route = routes_.at(payload);
        result = send_response(payload, at + latency_ + route.late, route.initiator);
        if (result != ::tlm::TLM_ACCEPTED) routes_.erase(payload);
    }
    if (frees) send_requests(target, at);
    return result;
}

// Sends a response on, or queues it after others for the same initiator. Returns TLM_COMPLETED if the
// initiator has ended it.
Sync Fabric::send_response(Payload& payload, Time at, int initiator) {
    Channel& channel = responses_[initiator];
    if (channel.owner == nullptr && channel.waiting.empty()) return deliver(payload, at, initiator);
    channel.waiting.push_back({&payload, at});
    return ::tlm::TLM_ACCEPTED;
}

Sync Fabric::deliver(Payload& payload, Time at, int initiator) {
    Channel& channel = responses_[initiator];
    channel.owner = &payload;
    Phase phase = ::tlm::BEGIN_RESP;
    sc_core::sc_time delay = delay_until(at);
    const Sync result = (*from_[initiator])->nb_transport_bw(payload, phase, delay);
    if (result == ::tlm::TLM_ACCEPTED) return result;
    channel.owner = nullptr;
    return ::tlm::TLM_COMPLETED;
}

void Fabric::end_at_target(Payload& payload, const Route& route, Time at) {
    if (route.ended) return;
    Phase phase = ::tlm::END_RESP;
    sc_core::sc_time delay = delay_until(at);
    (*to_[route.target])->nb_transport_fw(payload, phase, delay);
}

// Takes END_RESP from an initiator: passes it on and sends what waits for the initiator.
void Fabric::end_response(Payload& payload, Time at) {
    const Route* found = routes_.find(payload);
    if (found == nullptr) return;
    const Route route = *found;
    routes_.erase(payload);
    end_at_target(payload, route, at + latency_);
    responses_[route.initiator].owner = nullptr;
    send_responses(route.initiator, at);
}

// The response channel of an initiator is free: sends the responses that wait for it.
void Fabric::send_responses(int initiator, Time from) {
    Channel& channel = responses_[initiator];
    while (channel.owner == nullptr && !channel.waiting.empty()) {
        const Waiting next = channel.waiting.front();
        channel.waiting.pop_front();
        const Time at = std::max(next.at, from);
        const Route route = routes_.at(*next.payload);
        const Hold hold(*next.payload);
        const bool completed = deliver(*next.payload, at, initiator) != ::tlm::TLM_ACCEPTED;
        if (completed) {
            routes_.erase(*next.payload);
            end_at_target(*next.payload, route, at);
        }
    }
}

void Fabric::arrive_later(Payload& payload, Time at, bool request) {
    late_.push(at, {&payload, request});
    late_due_.notify_at(late_.next());
}

// Ends a response with the target while it is on its way; the initiator keeps the transaction.
void Fabric::delay_response(Payload& payload, Time at, Route& route) {
    route.ended = true;
    const Time delay = route.late + returns_[static_cast<std::size_t>(route.initiator)].of(at);
    arrive_later(payload, at + latency_ + delay, false);
}

void Fabric::delay_request(Payload& payload, Time at, const Route& route) {
    Way& taken = way(route.initiator, route.target);
    taken.last = std::max(taken.last, at + latency_ + taken.delay.of(at));
    arrive_later(payload, taken.last, true);
}

// Passes on what has been on its way long enough, as a fabric that is not perturbed does.
void Fabric::arrive() {
    while (late_.due(now())) {
        const Time at = late_.next();
        const Late late = late_.pop();
        const Route& route = routes_.at(*late.payload);
        if (late.request) {
            const unsigned target = route.target;
            requests_[target].waiting.push_back({late.payload, at});
            send_requests(target, now());
        } else {
            const int initiator = route.initiator;
            responses_[initiator].waiting.push_back({late.payload, at});
            send_responses(initiator, now());
        }
    }
    if (!late_.empty()) late_due_.notify_at(late_.next());
}

void Fabric::blocking(int initiator, Payload& payload, sc_core::sc_time& delay) {
    const Range* range = decode(payload);
    delay += to_sc(latency_);
    if (range == nullptr) {
        payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else {
        payload.set_address(payload.get_address() - range->base);
        delay += to_sc(
            crossing_.delay(payload, static_cast<unsigned>(initiator), range->target, now() + delay.value()));
        delay += to_sc(way(initiator, range->target).delay.of(now()));
        (*to_[range->target])->b_transport(payload, delay);
    }
    delay += to_sc(latency_);
}

unsigned Fabric::debug(int, Payload& payload) {
    const Range* range = decode(payload);
    if (range == nullptr) return 0;
    const std::uint64_t address = payload.get_address();
    payload.set_address(address - range->base);
    const unsigned count = (*to_[range->target])->transport_dbg(payload);
    payload.set_address(address);
    return count;
}

}  // namespace trnsim::tlm::fabric
