#include "model/hbm/stack.hpp"

#include <algorithm>

namespace trnsim::tlm::hbm {
namespace {}  // namespace

Stack::Stack(const sc_core::sc_module_name& name, const StackTiming& timing, const perturb::Agent& agent,
             const contents::RandomContents& unwritten)
    : Memory(name, *this),
      timing_(timing),
      backlog_limit_(duration(BacklogBytes, timing.bandwidth)),
      storage_(timing.capacity, unwritten),
      delay_(agent, "access", AccessPerturbUnit) {}

bool Stack::request(Payload& payload, Time at) {
    const Response status = storage_.check(payload);
    payload.set_response_status(status);
    const bool is_read = payload.is_read();
    const Time latency = is_read ? timing_.read_latency : timing_.write_latency;
    if (status != ::tlm::TLM_OK_RESPONSE) {
        port.respond(payload, at + latency);
        return true;
    }
    const std::uint64_t length = payload.get_data_length();
    (is_read ? traffic_.reads : traffic_.writes) += 1;
    (is_read ? traffic_.bytes_read : traffic_.bytes_written) += length;
    channel_free_ = std::max(at, channel_free_) + duration(std::max(length, AccessBytes), timing_.bandwidth);
    const Time response = channel_free_ + latency + delay_.of(at);
    if (delay_.perturbed()) {
        late_.push({delay_.between(at, response - 1), order_++, &payload, response});
        late_due_.notify_at(late_.top().at);
    } else {
        storage_.access(payload);
        port.respond(payload, response);
    }
    if (channel_free_ <= at + backlog_limit_) return true;
    drained_.notify_at(channel_free_ - backlog_limit_);
    return false;
}

void Stack::drain() {
    port.accept(now());
}

void Stack::access_late() {
    for (; !late_.empty() && late_.top().at <= now(); late_.pop()) {
        storage_.access(*late_.top().payload);
        port.respond(*late_.top().payload, late_.top().response);
    }
    if (!late_.empty()) late_due_.notify_at(late_.top().at);
}

}  // namespace trnsim::tlm::hbm
