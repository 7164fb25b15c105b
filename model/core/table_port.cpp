#include "model/core/table_port.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "model/core/axi_response.hpp"

namespace trnsim::tlm {
namespace {

constexpr std::uint32_t TableBeatBytes = TableWords * sizeof(std::uint32_t);

}  // namespace

TablePort::TablePort(std::function<void(Time at)> on_arrival, const perturb::Agent& agent)
    : port("table_port",
           [this](protocol::Transaction& transaction, Time at) { take_response(transaction, at); }),
      on_arrival_(std::move(on_arrival)),
      ar_ready_(agent, "ar"),
      r_valid_(agent, "r"),
      read_(agent, "read", RequestPerturbUnit) {}

// Takes a response. A transaction stays until the core has taken its last beat.
void TablePort::take_response(protocol::Transaction& transaction, Time at) {
    --outstanding_;
    const auto burst = std::ranges::find(bursts_, &transaction, &Burst::transaction);
    if (burst == bursts_.end()) return;  // from before a reset
    at += read_.of(at);
    burst->at = at;
    transaction.acquire();
    on_arrival_(at);
}

void TablePort::reset() {
    for (const Burst& burst : bursts_) {
        if (burst.at) burst.transaction->release();
    }
    bursts_.clear();
    beat_ = 0;
    r_valid_.withdraw();
    holds_back_ = false;
}

Time TablePort::next_arrival() const {
    const bool arrives = !bursts_.empty() && bursts_.front().at;
    return arrives ? *bursts_.front().at : std::numeric_limits<Time>::max();
}

bool TablePort::tick(AxiTableIn& in, const AxiTableOut& out, Time time) {
    give_beat(in, out, time);
    holds_back_ = out.ar_valid && ar_ready_.next(time);
    in.ar_ready = bursts_.size() < MaxTableBursts && !holds_back_;
    const bool read = out.ar_valid && in.ar_ready;
    if (read) send(out, time);
    return read;
}

void TablePort::give_beat(AxiTableIn& in, const AxiTableOut& out, Time time) {
    in.r_valid = r_valid_.next(next_arrival() < time, out.r_ready, time);
    if (!in.r_valid) return;
    protocol::Transaction& transaction = *bursts_.front().transaction;
    in.r_resp = transaction.is_response_ok() ? AxiOkay : AxiSlaveError;
    std::memcpy(in.r_data.data(), transaction.get_data_ptr() + beat_ * TableBeatBytes, TableBeatBytes);
    if (!out.r_ready || ++beat_ * TableBeatBytes < transaction.get_data_length()) return;
    transaction.release();
    bursts_.pop_front();
    beat_ = 0;
}

void TablePort::send(const AxiTableOut& out, Time time) {
    const std::uint32_t length = (out.ar_len + 1U) * TableBeatBytes;
    auto& transaction = pool_.make(::tlm::TLM_READ_COMMAND, out.ar_addr, length);
    bursts_.push_back({&transaction, std::nullopt});
    ++outstanding_;
    ++traffic_.reads;
    traffic_.bytes_read += length;
    port.send(transaction, time);
}

}  // namespace trnsim::tlm
