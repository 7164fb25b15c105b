// The data path of a DMA engine: reads fill slots, writes empty them in order.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tlm/dma/engine.hpp"

namespace trnsim::tlm::dma {

// The longest access from where the cursor stands.
std::uint32_t Engine::chunk(const Cursor& cursor) const {
    const std::uint64_t to_border = timing_.burst - cursor.address() % timing_.burst;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(to_border, cursor.left()));
}

// Moves the cursor over an access sent now; returns when the next may follow.
Time Engine::next_access(Cursor& cursor, std::uint32_t length) const {
    if (cursor.offset == 0) cursor.start = time_;
    cursor.offset += length;
    Time next = time_ + access_time(timing_, length);
    if (cursor.left() == 0) {
        cursor.active = false;
        next = std::max(next, cursor.start + DescriptorInterval);
    }
    return next;
}

// The next ring in turn that has descriptors to execute.
bool Engine::start_packet() {
    for (unsigned i = 0; i < rings_.size(); ++i) {
        const unsigned number = (turn_ + i) % rings_.size();
        if (rings_[number].m2s_ready == 0) continue;
        turn_ = (number + 1) % rings_.size();
        if (packets_.empty()) busy_since_ = time_;
        packets_.push_back({.ring = number});
        ++rings_[number].packets;
        reading_ = true;
        return true;
    }
    return false;
}

bool Engine::start_read_descriptor() {
    Packet& packet = packets_.back();
    Ring& ring = rings_[packet.ring];
    const std::uint32_t index = ring.m2s.front_index();
    if (ring.m2s_ready == 0) {
        fail(ErrorCode::BadDescriptor, packet.ring, index, 0,
             "the descriptors handed over end within a packet, expected `last`");
        return false;
    }
    const Descriptor* descriptor = ring.m2s.front();
    if (descriptor == nullptr) return false;  // on its way
    if (descriptor->first != (packet.descriptors == 0)) {
        fail(ErrorCode::BadDescriptor, packet.ring, index, descriptor->address,
             descriptor->first ? "`first` within a packet" : "packet without `first`");
        return false;
    }
    if (!take_read_meta(*descriptor, index)) return false;
    const bool constant = is_constant(decode_read(descriptor->meta).operation);
    read_ = {!constant, *descriptor, index, 0, 0};
    ++packet.descriptors;
    if (!constant && packet.bytes == 0) packet.source = descriptor->address;
    ring.m2s.pop();
    fetch_due_ = true;
    --ring.m2s_ready;
    return true;
}

// Sends one read if it may go now.
bool Engine::read_step() {
    if (halted() || read_free_ > time_ || reads_ == MaxReads) return false;
    if (!reading_ && !start_packet()) return false;
    if (!read_.active && !start_read_descriptor()) return false;
    if (!read_.active) {  // a constant reads nothing
        read_free_ = time_ + DescriptorInterval + perturbed_.read.of(time_);
        return true;
    }
    const std::uint32_t length = chunk(read_);
    if (buffered_ + length > BufferBytes) return false;
    const bool barrier =
        read_.offset == 0 && (std::exchange(read_elements_.barrier, false) || read_.descriptor.barrier);
    auto& transaction = pool_.make(::tlm::TLM_READ_COMMAND, read_.address(), length);
    transaction.tag =
        ReadAccess | std::uint64_t{packets_.back().ring} << 2 | (first_slot_ + slots_.size()) << 8;
    transaction.detail = read_.index;
    read_free_ = next_access(read_, length) + perturbed_.read.of(time_);
    const bool last = !read_.active && read_.descriptor.last;
    slots_.push_back({.length = length,
                      .barrier = barrier,
                      .last = last,
                      .index = read_.index,
                      .source = {read_elements_.meta, read_elements_.scale, read_elements_.first_element}});
    packets_.back().bytes += length;
    if (last) reading_ = false;
    buffered_ += length;
    ++reads_;
    ++statistics_.data.reads;
    statistics_.data.bytes_read += length;
    port.send(transaction, time_);
    return true;
}

bool Engine::start_write_descriptor() {
    Packet& packet = packets_[writing_ - first_packet_];
    Ring& ring = rings_[packet.ring];
    const std::uint32_t index = ring.s2m.front_index();
    if (ring.s2m_ready == 0) {
        fail(ErrorCode::LengthMismatch, packet.ring, index, 0,
             "the packet is longer than its s2m descriptors");
        return false;
    }
    const Descriptor* descriptor = ring.s2m.front();
    if (descriptor == nullptr) return false;  // on its way
    if (!take_write_meta(*descriptor, index)) return false;
    if (decode_write(descriptor->meta).result == Result::Nothing) {
        ring.s2m.pop();
        fetch_due_ = true;
        --ring.s2m_ready;
        write_free_ = time_ + DescriptorInterval + perturbed_.write.of(time_);
        return false;
    }
    if (packet.start == 0) {
        packet.start = time_;
        packet.destination = descriptor->address;
    }
    write_ = {true, *descriptor, index, 0, 0};
    ring.s2m.pop();
    fetch_due_ = true;
    --ring.s2m_ready;
    return true;
}

// Sends one write if its bytes are there and it may go now.
bool Engine::write_step() {
    if (halted() || write_free_ > time_ || writes_ == MaxWrites) return false;
    if (writing_elements()) return write_results_step();
    if (slots_.empty() || slots_.front().data == nullptr) return false;
    if (slots_.front().barrier) {
        if (writes_ != 0) return false;
        slots_.front().barrier = false;
    }
    if (!write_.active && !start_write_descriptor()) return false;
    // A write ends with its descriptor, at a burst border, before a barrier and with the packet.
    std::uint32_t length = chunk(write_);
    std::uint32_t there = 0;
    bool last = false;
    for (auto slot = slots_.begin(); there < length && !last; ++slot) {
        if (slot == slots_.end()) return false;
        if (slot->barrier) break;
        if (slot->data == nullptr) return false;
        there += slot->length - slot->used;
        last = slot->last;
    }
    length = std::min(length, there);
    if (last && there == length && write_.left() != length) {
        const Packet& packet = packets_[writing_ - first_packet_];
        fail(
            ErrorCode::LengthMismatch, packet.ring, write_.index, write_.descriptor.address,
            fmt::format("s2m descriptor goes {} bytes beyond the end of its packet", write_.left() - length));
        return false;
    }
    send_write(length);
    return true;
}

// Takes what has been read, in order; returns whether the packet ends with it.
bool Engine::take_read_bytes(std::span<std::uint8_t> to) {
    bool last = false;
    buffered_ -= to.size();
    while (!to.empty()) {
        Slot& slot = slots_.front();
        const std::size_t count = std::min<std::size_t>(to.size(), slot.length - slot.used);
        std::copy_n(slot.data->get_data_ptr() + slot.used, count, to.begin());
        to = to.subspan(count);
        slot.used += static_cast<std::uint32_t>(count);
        if (slot.used != slot.length) break;
        last = slot.last;
        slot.data->release();
        slots_.pop_front();
        ++first_slot_;
    }
    return last;
}

void Engine::send_write(std::uint32_t length) {
    Packet& packet = packets_[writing_ - first_packet_];
    auto& transaction = pool_.make(::tlm::TLM_WRITE_COMMAND, write_.address(), length);
    transaction.tag = WriteAccess | std::uint64_t{packet.ring} << 2 | writing_ << 8;
    transaction.detail = write_.index;
    const std::span<std::uint8_t> data(transaction.get_data_ptr(), length);
    const bool last = packet.computes ? take_results(data) : take_read_bytes(data);
    write_free_ = next_access(write_, length) + perturbed_.write.of(time_);
    ++packet.writes;
    ++writes_;
    if (last) {
        packet.written = true;
        ++writing_;
    }
    ++statistics_.data.writes;
    statistics_.data.bytes_written += length;
    port.send(transaction, time_);
}

}  // namespace trnsim::tlm::dma
