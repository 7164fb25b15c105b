// The data path of a DMA engine: reads fill slots, writes empty them in order.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "arch/addresses/pooled.hpp"
#include "model/dma/engine.hpp"

namespace trnsim::tlm::dma {

// Returns the length of the next burst at the cursor.
std::uint32_t Engine::burst(const Cursor& cursor) const {
    const std::uint64_t to_border = timing_.burst - cursor.address() % timing_.burst;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(to_border, cursor.left()));
}

// Returns the longest access of at most `room` bytes that ends with its descriptor or with a burst; 0 if
// there is no room for the next burst. Links between chips carry bursts one by one. Engines end their trains
// at different addresses, so that those that begin together do not stay together. A perturbed engine
// sometimes takes fewer bursts.
std::uint32_t Engine::train(const Cursor& cursor, std::uint64_t room) {
    const std::uint64_t longest = addresses::is_pooled(cursor.address()) ? timing_.burst : TrainBytes;
    const auto halvings = static_cast<std::size_t>(std::countr_zero(longest / timing_.burst));
    const bool perturbed = perturbed_.read.perturbed();
    const std::uint64_t unit = longest >> (perturbed ? perturbed_.train.next(halvings + 1) : 0);
    // Rows that are left out may begin below address 0, so their addresses wrap: ends are not compared.
    const std::uint64_t first = cursor.address(), shift = number_ * timing_.burst;
    std::uint64_t length = std::min<std::uint64_t>(cursor.left(), unit - (first + shift) % unit);
    if (length > room) length = room - std::min(room, (first + room) % timing_.burst);
    return static_cast<std::uint32_t>(length);
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

// Starts a packet in the next ring in turn that has descriptors to execute.
bool Engine::start_packet() {
    if (ready_ == 0) return false;
    for (unsigned i = 0; i < rings_.size(); ++i) {
        const unsigned number = (turn_ + i) % rings_.size();
        if (rings_[number].m2s_ready == 0) continue;
        turn_ = (number + 1) % rings_.size();
        if (packets_.empty()) busy_since_ = time_;
        packets_.push_back({.ring = number});
        ++rings_[number].packets;
        read_elements_ = {};
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
    const Operation operation = decode_read(descriptor->meta).operation;
    const bool reads = !is_constant(operation) && !is_of_indices(operation);
    if (is_of_indices(operation)) {
        if (!take_index(*descriptor, index)) return false;
    } else {
        if (packet.indices.used() && !rows_may_be_read()) return false;
        if (!take_read_meta(*descriptor, index)) return false;
    }
    read_ = {reads, *descriptor, index, 0, 0};
    if (reads && packet.indices.used() && !take_row(packet, read_)) return false;
    ++packet.descriptors;
    if (reads && packet.bytes == 0) packet.source = read_.descriptor.address;
    ring.m2s.pop();
    fetch_due_ = true;
    --ring.m2s_ready;
    --ready_;
    if (read_.dropped) leave_out_read();
    return true;
}

// Returns the longest read that may go now; 0: none may. The first and the last burst of a packet go alone.
std::uint32_t Engine::next_read() {
    const std::uint32_t next = burst(read_);
    const std::uint64_t room =
        std::min(BufferBytes - buffered_, std::uint64_t{MaxReads - reads_} * timing_.burst);
    if (packets_.back().bytes == 0) return next <= room ? next : 0;
    const std::uint32_t length = train(read_, room);
    return read_.descriptor.last && length == read_.left() ? without_last_burst(read_, length) : length;
}

// Returns the length of an access that ends a packet, without its last burst.
std::uint32_t Engine::without_last_burst(const Cursor& cursor, std::uint32_t length) const {
    const std::uint32_t last = last_burst_of(timing_, cursor.address(), length);
    return length == last ? length : length - last;
}

// Sends one read if it may go now.
bool Engine::read_step() {
    if (halted() || read_free_ > time_ || reads_ == MaxReads) return false;
    if (!reading_ && !start_packet()) return false;
    if (!read_.active && !start_read_descriptor()) return false;
    if (!read_.active) {  // a constant reads nothing; an index has been requested
        read_free_ = time_ + DescriptorInterval + perturbed_.read.of(time_);
        return true;
    }
    const std::uint32_t length = next_read();
    if (length == 0) return false;
    const bool barrier =
        read_.offset == 0 && (std::exchange(read_elements_.barrier, false) || read_.descriptor.barrier);
    auto& transaction = pool_.make(::tlm::TLM_READ_COMMAND, read_.address(), length);
    transaction.tag = make_tag(ReadAccess, packets_.back().ring, first_slot_ + slots_.size());
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
    const unsigned bursts = bursts_of(transaction);
    reads_ += bursts;
    statistics_.data.reads += bursts;
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
    write_ = {true, *descriptor, index, 0, 0};
    if (packet.indices.used() && !take_row(packet, write_)) return false;
    if (packet.start == 0) {
        packet.start = time_;
        packet.destination = write_.descriptor.address;
    }
    ring.s2m.pop();
    fetch_due_ = true;
    --ring.s2m_ready;
    return true;
}

// Sends one write if its bytes are there and it may go now.
bool Engine::write_step() {
    if (halted() || write_free_ > time_ || writes_ == MaxWrites) return false;
    if (writing_elements()) return write_results_step();
    if (slots_.empty()) return false;
    const bool hole = slots_.front().hole;
    if (!hole && slots_.front().data == nullptr) return false;
    if (slots_.front().barrier) {
        if (writes_ != 0) return false;
        slots_.front().barrier = false;
    }
    if (!write_.active && !start_write_descriptor()) return false;
    // A write ends with its descriptor, at a border, before a barrier or a hole and with the packet.
    const std::uint32_t wanted = hole ? std::min(write_.left(), slots_.front().length) : burst(write_);
    const std::uint32_t most = hole ? wanted : train(write_, room_for_writes());
    std::uint32_t there = 0;
    bool last = false, more = false;  // last: the packet ends here; more: more bytes are on their way
    for (auto slot = slots_.begin(); there < most && !last; ++slot) {
        more = slot == slots_.end();
        if (more || slot->hole != hole || slot->barrier) break;
        more = !hole && slot->data == nullptr;
        if (more) break;
        there += slot->length - slot->used;
        last = slot->last;
        if (hole) break;
    }
    if (more && there < wanted) return false;
    std::uint32_t length = std::min(most, there);
    if (more && length < most) length = train(write_, length);
    if (last && there == length) length = ending_write(length);
    if (length == 0) return false;
    if (hole || write_.dropped) {
        drop(length);
    } else {
        send_write(length);
    }
    return true;
}

// Returns how many of the bytes that end a packet go at once. 0: the s2m descriptor goes beyond the packet,
// and the engine has stopped.
std::uint32_t Engine::ending_write(std::uint32_t length) {
    if (write_.left() == length) return without_last_burst(write_, length);
    fail(ErrorCode::LengthMismatch, packets_[writing_ - first_packet_].ring, write_.index,
         write_.descriptor.address,
         fmt::format("s2m descriptor goes {} bytes beyond the end of its packet", write_.left() - length));
    return 0;
}

// Takes read bytes in order; returns whether the packet ends with them. `to` may be null.
bool Engine::take_read_bytes(std::uint32_t length, std::uint8_t* to) {
    bool last = false;
    while (length != 0) {
        Slot& slot = slots_.front();
        const std::uint32_t count = std::min(length, slot.length - slot.used);
        if (!slot.hole) buffered_ -= count;
        if (to != nullptr) to = std::copy_n(slot.data->get_data_ptr() + slot.used, count, to);
        length -= count;
        slot.used += count;
        if (slot.used != slot.length) break;
        last = slot.last;
        if (!slot.hole) slot.data->release();
        slots_.pop_front();
        ++first_slot_;
    }
    return last;
}

// Skips bytes of a row that is left out: its descriptor takes as long as a short one.
void Engine::drop(std::uint32_t length) {
    write_.offset += length;
    if (write_.left() == 0) {
        write_.active = false;
        write_free_ = time_ + DescriptorInterval + perturbed_.write.of(time_);
    }
    end_write(take_read_bytes(length, nullptr));
}

void Engine::end_write(bool last) {
    if (!last) return;
    packets_[writing_ - first_packet_].written = true;
    ++writing_;
}

// Returns the time from the first burst of a write to its last one. The target answers as if all came with
// the first.
Time Engine::tail_of(const protocol::Transaction& write) const {
    const std::uint32_t length = write.get_data_length();
    const std::uint32_t before = length - last_burst_of(timing_, write.sent_to, length);
    const Packet& packet = packets_[(write.tag >> SequenceBit) - first_packet_];
    return std::max(access_time(timing_, before), packet.transposition.write_time(before));
}

void Engine::send_write(std::uint32_t length) {
    Packet& packet = packets_[writing_ - first_packet_];
    auto& transaction = pool_.make(::tlm::TLM_WRITE_COMMAND, write_.address(), length);
    transaction.tag = make_tag(WriteAccess, packet.ring, writing_);
    transaction.detail = write_.index;
    const std::span<std::uint8_t> data(transaction.get_data_ptr(), length);
    const bool last = packet.computes ? take_results(data) : take_read_bytes(length, data.data());
    write_free_ = std::max(next_access(write_, length), time_ + packet.transposition.write_time(length)) +
                  perturbed_.write.of(time_);
    const unsigned bursts = bursts_of(transaction);
    packet.writes += bursts;
    writes_ += bursts;
    end_write(last);
    statistics_.data.writes += bursts;
    statistics_.data.bytes_written += length;
    port.send(transaction, time_);
}

}  // namespace trnsim::tlm::dma
