#include "model/protocol/initiator_port.hpp"

#include <algorithm>
#include <utility>

namespace trnsim::tlm::protocol {

InitiatorPort::InitiatorPort(const char* name, OnResponse on_response)
    : socket(name), on_response_(std::move(on_response)) {
    socket.register_nb_transport_bw(this, &InitiatorPort::backward);
}

void InitiatorPort::send(Transaction& transaction, Time at) {
    if (request_ == nullptr && waiting_.empty()) {
        transmit(transaction, std::max(at, free_at_));
    } else {
        waiting_.push_back({&transaction, at});
    }
    send_waiting();
}

void InitiatorPort::send_waiting() {
    while (request_ == nullptr && !waiting_.empty()) {
        const Waiting next = waiting_.front();
        waiting_.pop_front();
        transmit(*next.transaction, std::max(next.at, free_at_));
    }
}

// Sends a request. Calls made from within the target's call (further requests, responses) find request_ set
// and leave their work in waiting_.
void InitiatorPort::transmit(Transaction& transaction, Time at) {
    Phase phase = ::tlm::BEGIN_REQ;
    sc_core::sc_time delay = delay_until(at);
    request_ = &transaction;
    const Sync result = socket->nb_transport_fw(transaction, phase, delay);
    if (result == ::tlm::TLM_ACCEPTED) return;
    const Time then = now() + delay.value();
    request_ = nullptr;
    if (result == ::tlm::TLM_UPDATED && phase == ::tlm::END_REQ) {
        free_at_ = then;
        return;
    }
    if (result == ::tlm::TLM_UPDATED) {
        Phase end = ::tlm::END_RESP;
        socket->nb_transport_fw(transaction, end, delay);
    }
    complete(transaction, then);
}

void InitiatorPort::complete(Payload& payload, Time at) {
    on_response_(static_cast<Transaction&>(payload), at);
    payload.release();
}

Sync InitiatorPort::backward(Payload& payload, Phase& phase, sc_core::sc_time& delay) {
    const Time at = now() + delay.value();
    const bool response = phase == ::tlm::BEGIN_RESP;
    if (request_ == &payload) {  // BEGIN_RESP implies END_REQ
        request_ = nullptr;
        free_at_ = at;
    }
    if (response) complete(payload, at);
    send_waiting();
    return response ? ::tlm::TLM_COMPLETED : ::tlm::TLM_ACCEPTED;
}

}  // namespace trnsim::tlm::protocol
