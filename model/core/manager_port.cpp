#include "model/core/manager_port.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "model/core/axi_response.hpp"

namespace trnsim::tlm {
namespace {

constexpr std::uint32_t FetchBeatBytes = FetchWords * sizeof(std::uint32_t);

}  // namespace

ManagerPort::ManagerPort(std::function<void(Time at)> on_arrival, const perturb::Agent& agent)
    : port("port", [this](protocol::Transaction& transaction, Time at) { take_response(transaction, at); }),
      on_arrival_(std::move(on_arrival)),
      ar_ready_(agent, "ar"),
      aw_ready_(agent, "aw"),
      w_ready_(agent, "w"),
      r_valid_(agent, "r"),
      b_valid_(agent, "b"),
      read_(agent, "read", RequestPerturbUnit),
      write_(agent, "write", RequestPerturbUnit) {}

// Takes a response. A read keeps its transaction until the core has taken the last beat.
void ManagerPort::take_response(protocol::Transaction& transaction, Time at) {
    --outstanding_;
    if (transaction.tag < first_tag_) return;
    const auto id = static_cast<std::uint8_t>(transaction.detail);
    at += (transaction.is_read() ? read_ : write_).of(at);
    if (transaction.is_read()) {
        auto& queue = reads_[id];
        std::find_if(queue.begin(), queue.end(), [&](const Read& r) {
            return r.tag == transaction.tag;
        })->at = at;
        transaction.acquire();
    } else {
        responses_.push_back({id, !transaction.is_response_ok(), at});
    }
    on_arrival_(at);
}

void ManagerPort::reset() {
    for (auto& queue : reads_) {
        for (const Read& read : queue) {
            if (read.at) read.transaction->release();
        }
        queue.clear();
    }
    first_tag_ = next_tag_;
    fetches_ = posted_ = 0;
    burst_ = -1;
    beat_ = 0;
    turn_ = 0;
    responses_.clear();
    address_.reset();
    data_.reset();
    r_valid_.withdraw();
    b_valid_.withdraw();
    holds_back_ = false;
}

Time ManagerPort::next_arrival() const {
    Time next = responses_.empty() ? std::numeric_limits<Time>::max() : responses_.front().at;
    for (const auto& queue : reads_) {
        if (!queue.empty() && queue.front().at) next = std::min(next, *queue.front().at);
    }
    return next;
}

bool ManagerPort::tick(AxiManagerIn& in, const AxiManagerOut& out, Time time) {
    tick_responses(in, out, time);
    const bool ar_stalled = out.ar_valid && ar_ready_.next(time);
    const bool aw_stalled = out.aw_valid && aw_ready_.next(time);
    const bool w_stalled = out.w_valid && w_ready_.next(time);
    holds_back_ = ar_stalled || aw_stalled || w_stalled;
    in.ar_ready = fetches_ < MaxFetches && !ar_stalled;
    in.aw_ready = !address_ && posted_ < MaxPosted && !aw_stalled;
    in.w_ready = !data_ && !w_stalled;
    const bool read = out.ar_valid && in.ar_ready;
    if (read) send_read(out, time);
    if (out.aw_valid && in.aw_ready) address_ = {out.aw_id, 1U << out.aw_size, out.aw_addr};
    if (out.w_valid && in.w_ready) data_ = out.w_data;
    const bool write = address_ && data_;
    if (write) send_write(time);
    return read || write;
}

void ManagerPort::choose_burst(Time time) {
    for (unsigned i = 0; i < ManagerIds && burst_ < 0; ++i) {
        const unsigned id = (turn_ + i) % ManagerIds;
        if (reads_[id].empty() || !reads_[id].front().at || *reads_[id].front().at >= time) continue;
        burst_ = static_cast<int>(id);
        beat_ = 0;
        turn_ = id + 1;
    }
}

void ManagerPort::tick_responses(AxiManagerIn& in, const AxiManagerOut& out, Time time) {
    if (burst_ < 0 && fetches_ != 0) choose_burst(time);
    in.r_valid = r_valid_.next(burst_ >= 0, out.r_ready, time);
    if (in.r_valid) {
        auto& queue = reads_[static_cast<unsigned>(burst_)];
        protocol::Transaction& transaction = *queue.front().transaction;
        in.r_id = static_cast<std::uint8_t>(burst_);
        in.r_resp = transaction.is_response_ok() ? AxiOkay : AxiSlaveError;
        in.r_last = (beat_ + 1) * FetchBeatBytes == transaction.get_data_length();
        std::memcpy(in.r_data.data(), transaction.get_data_ptr() + std::size_t{beat_} * FetchBeatBytes,
                    FetchBeatBytes);
        if (out.r_ready) {
            ++beat_;
            if (in.r_last) {
                transaction.release();
                queue.pop_front();
                --fetches_;
                burst_ = -1;
            }
        }
    }
    in.b_valid = b_valid_.next(!responses_.empty() && responses_.front().at < time, out.b_ready, time);
    if (in.b_valid) {
        in.b_id = responses_.front().id;
        in.b_resp = responses_.front().failed ? AxiSlaveError : AxiOkay;
        if (out.b_ready) {
            responses_.pop_front();
            --posted_;
        }
    }
}

void ManagerPort::send_read(const AxiManagerOut& out, Time time) {
    const std::uint32_t length = (out.ar_len + 1U) * FetchBeatBytes;
    auto& transaction = pool_.make(::tlm::TLM_READ_COMMAND, out.ar_addr, length);
    transaction.tag = next_tag_++;
    transaction.detail = out.ar_id % ManagerIds;
    reads_[transaction.detail].push_back({&transaction, transaction.tag, std::nullopt});
    ++fetches_;
    ++outstanding_;
    ++traffic_.reads;
    traffic_.bytes_read += length;
    port.send(transaction, time);
}

void ManagerPort::send_write(Time time) {
    auto& transaction = pool_.make(::tlm::TLM_WRITE_COMMAND, address_->address, address_->bytes);
    transaction.tag = next_tag_++;
    transaction.detail = address_->id % ManagerIds;
    std::memcpy(transaction.get_data_ptr(), data_->data(), address_->bytes);
    traffic_.bytes_written += address_->bytes;
    address_.reset();
    data_.reset();
    ++posted_;
    ++outstanding_;
    ++traffic_.writes;
    port.send(transaction, time);
}

}  // namespace trnsim::tlm
