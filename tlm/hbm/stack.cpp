#include "tlm/hbm/stack.hpp"

#include <algorithm>
#include <cstring>

namespace trnsim::tlm::hbm {
namespace {

constexpr Time PerturbUnit = 8'000'000;  // fs

}  // namespace

Stack::Stack(const sc_core::sc_module_name& name, const StackTiming& timing, const perturb::Agent& agent,
             const contents::RandomContents& unwritten)
    : sc_module(name),
      port("port", *this),
      timing_(timing),
      backlog_limit_(duration(BacklogBytes, timing.bandwidth)),
      store_(unwritten),
      delay_(agent, "access", PerturbUnit) {
    SC_HAS_PROCESS(Stack);
    SC_METHOD(drain);
    sensitive << drained_;
    dont_initialize();
    SC_METHOD(access_late);
    sensitive << late_due_;
    dont_initialize();
}

bool Stack::inside(std::uint64_t address, std::uint64_t length) const {
    return length <= timing_.capacity && address <= timing_.capacity - length;
}

bool Stack::request(Payload& payload, Time at) {
    const Response status = check(payload);
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
        late_due_.notify(delay_until(late_.top().at));
    } else {
        access(payload);
        port.respond(payload, response);
    }
    if (channel_free_ <= at + backlog_limit_) return true;
    drained_.notify(delay_until(channel_free_ - backlog_limit_));
    return false;
}

void Stack::drain() {
    port.accept(now());
}

void Stack::access_late() {
    for (; !late_.empty() && late_.top().at <= now(); late_.pop()) {
        access(*late_.top().payload);
        port.respond(*late_.top().payload, late_.top().response);
    }
    if (!late_.empty()) late_due_.notify(delay_until(late_.top().at));
}

Response Stack::check(const Payload& payload) const {
    const unsigned length = payload.get_data_length();
    if (!inside(payload.get_address(), length)) return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (payload.get_streaming_width() < length) return ::tlm::TLM_BURST_ERROR_RESPONSE;
    return ::tlm::TLM_OK_RESPONSE;
}

void Stack::access(Payload& payload) {
    const std::uint64_t address = payload.get_address();
    const unsigned length = payload.get_data_length();
    const std::span<std::uint8_t> data(payload.get_data_ptr(), length);
    const unsigned char* enables = payload.get_byte_enable_ptr();
    if (enables == nullptr) {
        if (payload.is_read()) store_.read(address, data);
        if (payload.is_write()) store_.write(address, data);
        return;
    }
    for (unsigned i = 0; i < length; ++i) {
        if (enables[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
        if (payload.is_read()) store_.read(address + i, data.subspan(i, 1));
        if (payload.is_write()) store_.write(address + i, data.subspan(i, 1));
    }
}

unsigned Stack::debug(Payload& payload) {
    if (!inside(payload.get_address(), payload.get_data_length())) return 0;
    const std::span<std::uint8_t> data(payload.get_data_ptr(), payload.get_data_length());
    if (payload.is_read()) store_.read(payload.get_address(), data);
    if (payload.is_write()) store_.write(payload.get_address(), data);
    return payload.get_data_length();
}

}  // namespace trnsim::tlm::hbm
