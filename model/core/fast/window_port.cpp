#include "model/core/fast/window_port.hpp"

namespace trnsim::tlm::core_fast {
namespace {

constexpr std::uint8_t Okay = 0, SlaveError = 2;

bool is_system(std::uint32_t address) {
    return address >= isa::window::EventBase;
}

}  // namespace

std::optional<std::uint32_t> WindowPort::read_request(bool r_ready) const {
    if (!wants_beat(r_ready)) return std::nullopt;
    const WindowRegion region = map_->region(read_address_);
    const bool memory =
        region == WindowRegion::Sbuf || region == WindowRegion::Psum || region == WindowRegion::Tcm;
    return memory ? std::optional(read_address_ / beat_bytes_ * beat_bytes_) : std::nullopt;
}

// Returns the request; writes go before reads.
std::optional<SystemAccess> WindowPort::system_request() const {
    if (write_ == Write::System && pending_ && whole_word_)
        return SystemAccess{true, write_address_, system_data_};
    if (read_ == Read::System) return SystemAccess{false, read_address_, system_data_};
    return std::nullopt;
}

void WindowPort::edge(const AxiSubordinateIn& in, const Grants& grants, const SystemAnswer& answer) {
    if (!busy() && !beat_ && !write_failed_ && !in.aw_valid && !in.ar_valid) return;
    const std::optional<SystemAccess> access = grants.system ? system_request() : std::nullopt;
    Grants of_write = grants, of_read = grants;
    of_write.system = access && access->write;
    of_read.system = access && !access->write;
    edge_write(in, of_write, answer);
    edge_read(in, of_read, answer);
}

void WindowPort::take_beat(const AxiSubordinateIn& in) {
    const WindowRegion region = map_->region(write_address_);
    if (region == WindowRegion::System) {
        constexpr std::uint32_t StrobeBits = 32;
        const std::uint32_t word = write_address_ % beat_bytes_ / WordBytes;
        const std::uint32_t bit = word * WordBytes;
        system_data_ = in.w_data[word];
        whole_word_ = (in.w_strobe[bit / StrobeBits] >> bit % StrobeBits & 0xfU) == 0xfU;
        pending_ = true;
        write_ = Write::System;
        return;
    }
    if (region == WindowRegion::None) {
        write_failed_ = true;
    } else {
        beat_ = true;
        beat_address_ = write_address_ / beat_bytes_ * beat_bytes_;
        write_beat_.data = in.w_data;
        write_beat_.strobe = in.w_strobe;
    }
    write_address_ = next_beat(write_address_);
    if (in.w_last) write_ = Write::Drain;
}

void WindowPort::edge_write(const AxiSubordinateIn& in, const Grants& grants, const SystemAnswer& answer) {
    const bool had_beat = beat_;
    if (grants.write) beat_ = false;
    switch (write_) {
        case Write::Idle:
            write_address_ = in.aw_addr;
            write_failed_ = false;
            if (in.aw_valid) write_ = Write::Data;
            break;
        case Write::Data:
            if (in.w_valid && (!had_beat || grants.write)) take_beat(in);
            break;
        case Write::Drain:
            if (!had_beat || grants.write) write_ = Write::Response;
            break;
        case Write::System:  // the word is taken, then the verdict comes
            if (!whole_word_) {
                write_failed_ = true;
                write_ = Write::Response;
            } else if (pending_) {
                pending_ = !grants.system;
            } else {
                write_failed_ = answer.failed;
                write_ = Write::Response;
            }
            break;
        case Write::Response:
            if (in.b_ready) write_ = Write::Idle;
            break;
    }
}

void WindowPort::edge_read(const AxiSubordinateIn& in, const Grants& grants, const SystemAnswer& answer) {
    const bool was_full = read_full_;
    const bool wants = wants_beat(in.r_ready);
    if (read_full_ && in.r_ready) read_full_ = false;
    switch (read_) {
        case Read::Idle:
            read_address_ = in.ar_addr;
            beats_left_ = in.ar_len;
            if (in.ar_valid) {
                requesting_ = true;
                read_ = is_system(in.ar_addr) ? Read::System : Read::Memory;
            }
            break;
        case Read::Memory: {
            const bool was_requesting = requesting_;
            const WindowRegion region = map_->region(read_address_);
            const bool nowhere = region == WindowRegion::None || region == WindowRegion::System;
            if (wants && (grants.read || nowhere)) {
                read_full_ = true;
                read_last_ = beats_left_ == 0;
                read_failed_ = nowhere;
                read_system_ = false;
                read_address_ = next_beat(read_address_);
                requesting_ = beats_left_ != 0;
                --beats_left_;
            }
            if (!was_requesting && (!was_full || in.r_ready)) read_ = Read::Idle;
            break;
        }
        case Read::System:
            if (grants.system) read_ = Read::SystemData;
            break;
        case Read::SystemData:
            if (requesting_) {
                read_full_ = read_last_ = read_system_ = true;
                read_failed_ = answer.failed || beats_left_ != 0;
                read_word_ = answer.data;
                requesting_ = false;
            } else if (!was_full || in.r_ready) {
                read_ = Read::Idle;
            }
            break;
    }
}

void WindowPort::drive(AxiSubordinateOut& out, bool write_granted) const {
    out.aw_ready = aw_ready();
    out.w_ready = w_ready(write_granted);
    out.b_valid = b_valid();
    out.b_resp = write_failed_ ? SlaveError : Okay;
    out.ar_ready = ar_ready();
    out.r_valid = read_full_;
    out.r_last = read_last_;
    out.r_resp = read_failed_ ? SlaveError : Okay;
    if (!read_full_) return;
    if (read_system_)
        out.r_data.fill(read_word_);
    else
        out.r_data = read_data_;
}

}  // namespace trnsim::tlm::core_fast
