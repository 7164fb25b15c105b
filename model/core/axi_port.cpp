#include "model/core/axi_port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "model/core/axi_response.hpp"

namespace trnsim::tlm {
namespace {

constexpr std::uint32_t AxiBorder = 4096;
constexpr std::uint32_t StrobeBits = 32;

// AXI lets a burst start within its first beat; the address of that byte selects registers.
std::uint32_t first_byte(const auto& burst) {
    return static_cast<std::uint32_t>(burst.payload->get_address()) + burst.begin;
}

}  // namespace

AxiPort::AxiPort(std::uint32_t beat_bytes, OnDone on_done, const perturb::Agent& agent)
    : beat_bytes_(beat_bytes),
      on_done_(std::move(on_done)),
      aw_valid_(agent, "aw"),
      w_valid_(agent, "w"),
      ar_valid_(agent, "ar"),
      b_ready_(agent, "b"),
      r_ready_(agent, "r") {}

void AxiPort::push(Payload& payload, Time at) {
    const bool write = payload.is_write();
    split(write ? writes_ : reads_, payload, at);
    (write ? write_bytes_ : read_bytes_) += payload.get_data_length();
}

void AxiPort::split(std::deque<Burst>& queue, Payload& payload, Time at) {
    const auto base = static_cast<std::uint32_t>(payload.get_address());
    const std::uint32_t length = payload.get_data_length();
    for (std::uint32_t begin = 0; begin < length;) {
        const std::uint32_t address = base + begin;
        const std::uint32_t aligned = address / beat_bytes_ * beat_bytes_;
        const std::uint32_t reach =
            std::min(AxiBorder - aligned % AxiBorder, MaxBurstBeats * beat_bytes_) - (address - aligned);
        const std::uint32_t end = begin + std::min(length - begin, reach);
        const std::uint32_t beats = (base + end - aligned + beat_bytes_ - 1) / beat_bytes_;
        queue.push_back({&payload, at, aligned, beats, begin, end, end == length});
        begin = end;
    }
}

Time AxiPort::next_arrival() const {
    Time next = std::numeric_limits<Time>::max();
    if (!writes_.empty()) next = writes_.front().at;
    if (!reads_.empty()) next = std::min(next, reads_.front().at);
    return next;
}

void AxiPort::tick(AxiSubordinateIn& in, const AxiSubordinateOut& out, Time time) {
    tick_write(in, out, time);
    tick_read(in, out, time);
}

void AxiPort::tick_write(AxiSubordinateIn& in, const AxiSubordinateOut& out, Time time) {
    const auto open = [&](std::size_t index) { return index < writes_.size() && writes_[index].at < time; };
    in.b_ready = !(out.b_valid && b_ready_.next(time));
    in.aw_valid = aw_valid_.next(open(aw_), out.aw_ready, time);
    if (in.aw_valid) {
        in.aw_addr = first_byte(writes_[aw_]);
        in.aw_len = static_cast<std::uint8_t>(writes_[aw_].beats - 1);
    }
    const bool addressed = w_ < aw_ || (w_ == aw_ && in.aw_valid);  // never ahead of its address
    in.w_valid = w_valid_.next(addressed && open(w_), out.w_ready, time);
    if (in.w_valid) set_beat(in, writes_[w_], w_beat_);

    if (in.aw_valid && out.aw_ready) ++aw_;
    if (in.w_valid && out.w_ready && ++w_beat_ == writes_[w_].beats) {
        w_beat_ = 0;
        ++w_;
    }
    if (!out.b_valid || !in.b_ready) return;
    if (aw_ == 0 || w_ == 0) throw std::runtime_error("core: write response without a write");
    write_failed_ |= out.b_resp != AxiOkay;
    const Burst burst = writes_.front();
    writes_.pop_front();
    --aw_;
    --w_;
    write_bytes_ -= burst.end - burst.begin;
    finish(burst, write_failed_);
}

void AxiPort::tick_read(AxiSubordinateIn& in, const AxiSubordinateOut& out, Time time) {
    in.r_ready = !(out.r_valid && r_ready_.next(time));
    in.ar_valid = ar_valid_.next(ar_ < reads_.size() && reads_[ar_].at < time, out.ar_ready, time);
    if (in.ar_valid) {
        in.ar_addr = first_byte(reads_[ar_]);
        in.ar_len = static_cast<std::uint8_t>(reads_[ar_].beats - 1);
    }
    if (out.r_valid && in.r_ready) {
        if (ar_ == 0) throw std::runtime_error("core: read data without a read");
        const Burst burst = reads_.front();
        read_failed_ |= out.r_resp != AxiOkay;
        take_beat(out, burst, r_beat_++);
        if (out.r_last != (r_beat_ == burst.beats)) {
            throw std::runtime_error(fmt::format("core: last read beat at {} of {}", r_beat_, burst.beats));
        }
        if (out.r_last) {
            r_beat_ = 0;
            reads_.pop_front();
            --ar_;
            read_bytes_ -= burst.end - burst.begin;
            if (in.ar_valid && out.ar_ready) ++ar_;
            finish(burst, read_failed_);
            return;
        }
    }
    if (in.ar_valid && out.ar_ready) ++ar_;
}

void AxiPort::set_beat(AxiSubordinateIn& in, const Burst& burst, std::uint32_t beat) const {
    const auto base = static_cast<std::uint32_t>(burst.payload->get_address());
    const std::uint32_t beat_address = burst.address + beat * beat_bytes_;
    const std::uint32_t from = std::max(beat_address, base + burst.begin);
    const std::uint32_t to = std::min(beat_address + beat_bytes_, base + burst.end);
    std::memcpy(reinterpret_cast<std::uint8_t*>(in.w_data.data()) + (from - beat_address),
                burst.payload->get_data_ptr() + (from - base), to - from);
    for (std::uint32_t word = 0; word * StrobeBits < beat_bytes_; ++word) {
        const std::uint32_t low =
            std::clamp(from - beat_address, word * StrobeBits, (word + 1) * StrobeBits) - word * StrobeBits;
        const std::uint32_t high =
            std::clamp(to - beat_address, word * StrobeBits, (word + 1) * StrobeBits) - word * StrobeBits;
        in.w_strobe[word] =
            static_cast<std::uint32_t>((std::uint64_t{1} << high) - (std::uint64_t{1} << low));
    }
    in.w_last = beat + 1 == burst.beats;
}

void AxiPort::take_beat(const AxiSubordinateOut& out, const Burst& burst, std::uint32_t beat) const {
    const auto base = static_cast<std::uint32_t>(burst.payload->get_address());
    const std::uint32_t beat_address = burst.address + beat * beat_bytes_;
    const std::uint32_t from = std::max(beat_address, base + burst.begin);
    const std::uint32_t to = std::min(beat_address + beat_bytes_, base + burst.end);
    std::memcpy(burst.payload->get_data_ptr() + (from - base),
                reinterpret_cast<const std::uint8_t*>(out.r_data.data()) + (from - beat_address), to - from);
}

void AxiPort::finish(const Burst& burst, bool& failed) {
    if (!burst.last) return;
    burst.payload->set_response_status(std::exchange(failed, false) ? ::tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                                    : ::tlm::TLM_OK_RESPONSE);
    on_done_(*burst.payload);
}

}  // namespace trnsim::tlm
