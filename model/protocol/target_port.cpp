#include "model/protocol/target_port.hpp"

#include <algorithm>
#include <utility>

namespace trnsim::tlm::protocol {

TargetPort::TargetPort(const sc_core::sc_module_name& name, TargetModel& model)
    : sc_module(name), socket("socket"), model_(model) {
    socket.register_nb_transport_fw(this, &TargetPort::forward);
    socket.register_b_transport(this, &TargetPort::blocking);
    socket.register_transport_dbg(this, &TargetPort::debug);
}

Sync TargetPort::forward(Payload& payload, Phase& phase, sc_core::sc_time& delay) {
    const Time at = now() + delay.value();
    if (phase == ::tlm::END_RESP) {
        response_ = nullptr;
        payload.release();
        if (!due_.empty()) wake_.notify_at(std::max(at, due_.next()));
        return ::tlm::TLM_COMPLETED;
    }
    if (phase != ::tlm::BEGIN_REQ) return ::tlm::TLM_ACCEPTED;
    payload.acquire();
    held_ = &payload;
    if (!take({at, &payload, false})) return ::tlm::TLM_ACCEPTED;
    held_ = nullptr;
    phase = ::tlm::END_REQ;
    return ::tlm::TLM_UPDATED;
}

void TargetPort::blocking(Payload& payload, sc_core::sc_time& delay) {
    sc_core::sc_event done;
    blocked_.emplace(&payload, &done);
    take({now() + delay.value(), &payload, true});
    delay = sc_core::SC_ZERO_TIME;
    wait(done);
    blocked_.erase(&payload);
}

bool TargetPort::take(const Waiting& request) {
    if (closed_ || !waiting_.empty()) {
        waiting_.push_back(request);
        return false;
    }
    closed_ = !model_.request(*request.payload, request.at);
    return !closed_;
}

void TargetPort::end_request(Payload& payload, Time at) {
    if (held_ != &payload) return;
    held_ = nullptr;
    Phase phase = ::tlm::END_REQ;
    sc_core::sc_time delay = delay_until(at);
    socket->nb_transport_bw(payload, phase, delay);
}

void TargetPort::accept(Time at) {
    if (!closed_) return;
    closed_ = false;
    // held_ is the request that made the model hold off; a request that waits has not reached the model.
    const bool waits = std::any_of(waiting_.begin(), waiting_.end(),
                                   [this](const Waiting& waiting) { return waiting.payload == held_; });
    if (held_ != nullptr && !waits) end_request(*held_, at);
    while (!closed_ && !waiting_.empty()) {
        const Waiting next = waiting_.front();
        waiting_.pop_front();
        const Time from = std::max(at, next.at);
        closed_ = !model_.request(*next.payload, from);
        if (!closed_ && !next.blocking) end_request(*next.payload, from);
    }
}

void TargetPort::respond(Payload& payload, Time at) {
    due_.push(at, &payload);
    wake_.notify_at(due_.next());
}

void TargetPort::send_responses() {
    const Time at = now();
    while (due_.due(at)) {
        Payload& payload = *due_.front();
        const auto blocked = blocked_.empty() ? blocked_.end() : blocked_.find(&payload);
        if (blocked != blocked_.end()) {
            due_.pop();
            blocked->second->notify(sc_core::SC_ZERO_TIME);
            continue;
        }
        if (response_ != nullptr) return;  // END_RESP wakes
        due_.pop();
        if (held_ == &payload) held_ = nullptr;  // BEGIN_RESP implies END_REQ
        response_ = &payload;
        Phase phase = ::tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const Sync result = socket->nb_transport_bw(payload, phase, delay);
        if (result == ::tlm::TLM_COMPLETED || (result == ::tlm::TLM_UPDATED && phase == ::tlm::END_RESP)) {
            response_ = nullptr;
            payload.release();
        }
    }
    if (!due_.empty()) wake_.notify_at(due_.next());
}

}  // namespace trnsim::tlm::protocol
