#include "model/protocol/checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trnsim::tlm::protocol {
namespace {

// The texts in the order of Rule.
constexpr std::array<std::string_view, 15> RuleTexts{
    "phase in the wrong direction",
    "phase out of order",
    "return value does not fit the phase",
    "request before the end of the one before",
    "response before the end of the one before",
    "non-blocking transaction without memory manager",
    "request with a response status",
    "response without a status",
    "no data pointer or no length",
    "bad byte enables",
    "streaming width 0",
    "request with the DMI hint set",
    "attribute changed on the way",
    "time runs backwards",
    "debug transport moved more than asked for",
};

constexpr const char* SyncNames[] = {"TLM_ACCEPTED", "TLM_UPDATED", "TLM_COMPLETED"};

}  // namespace

std::string_view describe(Rule rule) {
    return RuleTexts[static_cast<std::size_t>(rule)];
}

// The base protocol: which phase may travel which way after which phases, and what its receiver may return.
struct Checker::PhaseRow {
    unsigned phase;
    const char* name;
    bool forward;
    std::array<unsigned, 2> after;    // BEGIN_REQ follows nothing
    std::array<unsigned, 2> updated;  // phases a receiver may answer with through TLM_UPDATED
    bool may_complete;                // the receiver may return TLM_COMPLETED
};

const Checker::PhaseRow* Checker::row_of(const Phase& phase) {
    using namespace ::tlm;
    constexpr unsigned None = UNINITIALIZED_PHASE;
    static constexpr std::array<PhaseRow, 4> Rows{{
        {BEGIN_REQ, "BEGIN_REQ", true, {None, None}, {END_REQ, BEGIN_RESP}, true},
        {END_REQ, "END_REQ", false, {BEGIN_REQ, None}, {None, None}, false},
        {BEGIN_RESP, "BEGIN_RESP", false, {BEGIN_REQ, END_REQ}, {END_RESP, None}, true},
        {END_RESP, "END_RESP", true, {BEGIN_RESP, None}, {None, None}, true},
    }};
    const auto row =
        std::find_if(Rows.begin(), Rows.end(), [&](const PhaseRow& r) { return r.phase == phase; });
    return row == Rows.end() ? nullptr : &*row;
}

std::string Checker::name_of(const Phase& phase) {
    const PhaseRow* row = row_of(phase);
    return row != nullptr ? row->name : fmt::format("phase {}", static_cast<unsigned>(phase));
}

Checker::Checker(const sc_core::sc_module_name& name)
    : sc_module(name), target("target"), initiator("initiator") {
    target.register_nb_transport_fw(this, &Checker::forward);
    target.register_b_transport(this, &Checker::blocking);
    target.register_transport_dbg(this, &Checker::debug);
    initiator.register_nb_transport_bw(this, &Checker::backward);
}

Checker::Attributes Checker::attributes_of(const Payload& p) {
    return {p.get_command(),         p.get_data_ptr(),           p.get_data_length(),
            p.get_byte_enable_ptr(), p.get_byte_enable_length(), p.get_streaming_width()};
}

void Checker::report(Rule rule, const Payload* payload, const std::string& detail) {
    violations_.push_back({rule, fmt::format("{} at {} fs, transaction at 0x{:x}: {}: {}", name(), now(),
                                             payload->get_address(), describe(rule), detail)});
}

void Checker::check_request(const Payload& payload) {
    ++checked_;
    if (payload.get_response_status() != ::tlm::TLM_INCOMPLETE_RESPONSE) {
        report(Rule::RequestStatus, &payload, payload.get_response_string());
    }
    if (payload.get_command() != ::tlm::TLM_IGNORE_COMMAND &&
        (payload.get_data_ptr() == nullptr || payload.get_data_length() == 0)) {
        report(Rule::Data, &payload, fmt::format("length {}", payload.get_data_length()));
    }
    if (const unsigned char* enables = payload.get_byte_enable_ptr()) {
        const unsigned length = payload.get_byte_enable_length();
        const bool good = std::all_of(enables, enables + length, [](unsigned char e) {
            return e == TLM_BYTE_DISABLED || e == TLM_BYTE_ENABLED;
        });
        if (length == 0 || !good) report(Rule::ByteEnables, &payload, fmt::format("length {}", length));
    }
    if (payload.get_streaming_width() == 0) report(Rule::StreamingWidth, &payload, "0");
    if (payload.is_dmi_allowed()) report(Rule::DmiHint, &payload, "set");
}

void Checker::begin(Payload& payload, const sc_core::sc_time& delay) {
    check_request(payload);
    if (!payload.has_mm()) report(Rule::MemoryManager, &payload, "none");
    if (request_ != nullptr && request_ != &payload) {
        report(Rule::RequestExclusion, &payload, fmt::format("of 0x{:x}", request_->get_address()));
    }
    request_ = &payload;
    active_[&payload] = {::tlm::BEGIN_REQ, attributes_of(payload), now() + delay.value()};
}

void Checker::finish(const Payload* payload) {
    if (request_ == payload) request_ = nullptr;
    if (response_ == payload) response_ = nullptr;
    active_.erase(payload);
}

// Applies a phase to the state of its transaction. Returns false if it does not fit; the state then stays.
bool Checker::advance(Payload& payload, const Phase& phase, const sc_core::sc_time& delay, bool is_forward) {
    const PhaseRow* row = row_of(phase);
    if (row == nullptr || row->forward != is_forward) {
        report(Rule::PhaseDirection, &payload, name_of(phase));
        return false;
    }
    const auto found = active_.find(&payload);
    if (row->phase == ::tlm::BEGIN_REQ) {
        if (found != active_.end()) {
            report(Rule::PhaseOrder, &payload, "BEGIN_REQ of an active transaction");
            return false;
        }
        begin(payload, delay);
        return true;
    }
    if (found == active_.end() ||
        std::find(row->after.begin(), row->after.end(), found->second.phase) == row->after.end()) {
        report(Rule::PhaseOrder, &payload, row->name);
        return false;
    }
    Active& active = found->second;
    if (now() + delay.value() < active.time) report(Rule::Timing, &payload, row->name);
    if (attributes_of(payload) != active.attributes) report(Rule::Attributes, &payload, row->name);
    active.time = now() + delay.value();
    active.phase = row->phase;
    if (request_ == &payload) request_ = nullptr;  // END_REQ, or BEGIN_RESP that implies it
    if (row->phase == ::tlm::BEGIN_RESP) {
        if (response_ != nullptr)
            report(Rule::ResponseExclusion, &payload, fmt::format("of 0x{:x}", response_->get_address()));
        if (payload.get_response_status() == ::tlm::TLM_INCOMPLETE_RESPONSE)
            report(Rule::ResponseStatus, &payload, row->name);
        response_ = &payload;
    }
    if (row->phase == ::tlm::END_RESP) finish(&payload);
    return true;
}

// Checks a return. `sent` is the phase that the call was made with, `phase` and `delay` are the values after
// it. If the transaction is over, the payload may be gone, so only its address is used then.
void Checker::check_return(Payload& payload, const Phase& sent, Sync result, const Phase& phase,
                           const sc_core::sc_time& delay, bool is_forward) {
    const PhaseRow& row = *row_of(sent);
    if (result == ::tlm::TLM_ACCEPTED) return;
    if (sent == ::tlm::END_RESP && result == ::tlm::TLM_COMPLETED) return;
    if (result == ::tlm::TLM_COMPLETED && row.may_complete) {
        if (!active_.contains(&payload)) {
            report(Rule::ReturnValue, &payload,
                   fmt::format("{} to {}, already over", SyncNames[result], row.name));
            return;
        }
        if (is_forward && payload.get_response_status() == ::tlm::TLM_INCOMPLETE_RESPONSE) {
            report(Rule::ResponseStatus, &payload, SyncNames[result]);
        }
        finish(&payload);
        return;
    }
    const bool fits =
        result == ::tlm::TLM_UPDATED && phase != ::tlm::UNINITIALIZED_PHASE &&
        std::find(row.updated.begin(), row.updated.end(), static_cast<unsigned>(phase)) != row.updated.end();
    if (!fits) {
        report(Rule::ReturnValue, &payload,
               fmt::format("{} with {} to {}", SyncNames[result], name_of(phase), row.name));
        return;
    }
    advance(payload, phase, delay, !is_forward);
}

Sync Checker::forward(Payload& payload, Phase& phase, sc_core::sc_time& delay) {
    const Phase sent = phase;
    const bool fits = advance(payload, phase, delay, true);
    const Sync result = initiator->nb_transport_fw(payload, phase, delay);
    if (fits) check_return(payload, sent, result, phase, delay, true);
    return result;
}

Sync Checker::backward(Payload& payload, Phase& phase, sc_core::sc_time& delay) {
    const Phase sent = phase;
    const bool fits = advance(payload, phase, delay, false);
    const Sync result = target->nb_transport_bw(payload, phase, delay);
    if (fits) check_return(payload, sent, result, phase, delay, false);
    return result;
}

void Checker::blocking(Payload& payload, sc_core::sc_time& delay) {
    check_request(payload);
    const Attributes before = attributes_of(payload);
    const Time start = now() + delay.value();
    initiator->b_transport(payload, delay);
    if (now() + delay.value() < start) report(Rule::Timing, &payload, "b_transport");
    if (payload.get_response_status() == ::tlm::TLM_INCOMPLETE_RESPONSE)
        report(Rule::ResponseStatus, &payload, "b_transport");
    if (attributes_of(payload) != before) report(Rule::Attributes, &payload, "b_transport");
}

unsigned Checker::debug(Payload& payload) {
    ++checked_;
    if (payload.get_data_length() != 0 && payload.get_data_ptr() == nullptr)
        report(Rule::Data, &payload, "transport_dbg");
    const Attributes before = attributes_of(payload);
    const unsigned count = initiator->transport_dbg(payload);
    if (count > before.length)
        report(Rule::DebugCount, &payload, fmt::format("{} of {} bytes", count, before.length));
    if (attributes_of(payload) != before) report(Rule::Attributes, &payload, "transport_dbg");
    return count;
}

}  // namespace trnsim::tlm::protocol
