#include "model/neuronlink/receiver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace trnsim::tlm::neuronlink {

Receiver::Receiver(const Parameters& parameters) : room_(parameters.buffer) {
    limits_.fill(static_cast<std::uint16_t>(room_));
}

void Receiver::ask_for_repetition() {
    if (asked_) return;
    asked_ = repeat_ = pending_ = urgent_ = true;
}

bool Receiver::take(const Frame& frame) {
    if (frame.poll) pending_ = urgent_ = true;
    if (!frame.packet) return false;
    if (frame.sequence != expected_) {
        const bool earlier = static_cast<std::int16_t>(frame.sequence - expected_) < 0;
        if (earlier) {
            ++statistics_.duplicates;
            pending_ = true;
        } else {
            ++statistics_.gaps;
            ask_for_repetition();
        }
        return false;
    }
    const std::uint64_t flits = flits_of(*frame.packet);
    std::uint64_t& held = held_[frame.channel];
    if (held + flits > room_) {
        throw std::logic_error(fmt::format("neuronlink: {} flits for channel {} with {} of {} flits taken",
                                           flits, frame.channel, held, room_));
    }
    held += flits;
    statistics_.peak[frame.channel] = std::max(statistics_.peak[frame.channel], held);
    ++statistics_.packets;
    statistics_.bytes += frame.packet->data.size();
    ++expected_;
    asked_ = repeat_ = false;
    pending_ = true;
    return true;
}

void Receiver::take_damaged() {
    ++statistics_.crc_errors;
    ask_for_repetition();
}

void Receiver::release(unsigned channel, std::uint64_t flits) {
    held_[channel] -= flits;
    limits_[channel] = static_cast<std::uint16_t>(limits_[channel] + flits);
    pending_ = true;
}

void Receiver::tell(Frame& frame) {
    frame.expected = expected_;
    frame.limits = limits_;
    frame.repeat = repeat_;
    repeat_ = pending_ = urgent_ = false;
}

void Receiver::restart() {
    expected_ = 0;
    asked_ = repeat_ = false;
    for (std::size_t i = 0; i < Channels; ++i) limits_[i] = static_cast<std::uint16_t>(room_ - held_[i]);
}

}  // namespace trnsim::tlm::neuronlink
