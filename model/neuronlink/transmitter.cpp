#include "model/neuronlink/transmitter.hpp"

#include <algorithm>
#include <utility>

namespace trnsim::tlm::neuronlink {
namespace {

using FrameKind = trace::LinkFrame::Kind;

}  // namespace

Transmitter::Transmitter(const Parameters& parameters, Wire& wire, Receiver& receiver,
                         const PortReport& report)
    : parameters_(parameters), wire_(wire), receiver_(receiver), report_(report) {
    limits_.fill(static_cast<std::uint16_t>(parameters.buffer));
}

bool Transmitter::has_room(unsigned channel, std::uint64_t flits) const {
    return has_credits(channel, flits) && replay_flits_ + flits <= parameters_.replay;
}

void Transmitter::restart_timer(Time now) {
    retry_at_ = std::max(now, wire_.free_at()) + parameters_.retry_time;
}

void Transmitter::put(Frame frame, FrameKind kind, Time now) {
    const std::uint64_t flits = flits_of(frame), bytes = frame.packet ? frame.packet->data.size() : 0;
    const unsigned channel = frame.channel;
    const Fate fate = wire_.send(std::move(frame), now, statistics_);
    report_.frame({.kind = kind,
                   .fate = fate,
                   .start = now,
                   .end = wire_.free_at(),
                   .flits = flits,
                   .bytes = bytes,
                   .channel = channel});
}

void Transmitter::transmit(const Sent& sent, FrameKind kind, Time now) {
    Frame frame;
    frame.packet = sent.packet;
    frame.channel = static_cast<std::uint8_t>(sent.channel);
    frame.sequence = sent.sequence;
    receiver_.tell(frame);
    put(std::move(frame), kind, now);
}

void Transmitter::send(PacketPtr packet, unsigned channel, Time now) {
    const std::uint64_t flits = flits_of(*packet);
    used_[channel] = static_cast<std::uint16_t>(used_[channel] + flits);
    replay_flits_ += flits;
    statistics_.replay_peak = std::max(statistics_.replay_peak, replay_flits_);
    ++statistics_.packets;
    statistics_.bytes += packet->data.size();
    const Sent sent{std::move(packet), channel, sequence_++};
    transmit(sent, FrameKind::Packet, now);
    if (replay_.empty()) restart_timer(now);
    replay_.push_back(sent);
    next_ = replay_.size();
}

void Transmitter::repeat(Time now) {
    ++statistics_.repeated;
    transmit(replay_[next_++], FrameKind::Repetition, now);
    if (!repeating()) restart_timer(now);
}

void Transmitter::send_control(Time now, bool poll) {
    Frame frame;
    frame.poll = poll;
    receiver_.tell(frame);
    ++statistics_.control;
    statistics_.polls += poll ? 1 : 0;
    put(std::move(frame), FrameKind::Control, now);
}

void Transmitter::hear(const Frame& frame, Time now) {
    // A limit never falls, and frames come in order, so the newest is the highest.
    limits_ = frame.limits;
    bool progress = false;
    while (!replay_.empty() && replay_.front().sequence != frame.expected &&
           static_cast<std::int16_t>(frame.expected - replay_.front().sequence) > 0) {
        replay_flits_ -= flits_of(*replay_.front().packet);
        replay_.pop_front();
        if (next_ > 0) --next_;
        progress = true;
    }
    if (progress) {
        retries_ = 0;
        restart_timer(now);
    }
    if (frame.repeat) retry(now);
}

bool Transmitter::retry(Time now) {
    if (replay_.empty()) return true;
    next_ = 0;
    ++statistics_.retries;
    restart_timer(now);
    return ++retries_ <= parameters_.retry_limit;
}

void Transmitter::give_up() {
    statistics_.lost += replay_.size();
    replay_.clear();
    replay_flits_ = 0;
    next_ = 0;
}

void Transmitter::restart() {
    sequence_ = 0;
    retries_ = 0;
    used_.fill(0);
    limits_.fill(0);
}

void Transmitter::resume(Time now) {
    retries_ = 0;
    next_ = 0;
    if (!replay_.empty()) ++statistics_.retries;
    restart_timer(now);
}

}  // namespace trnsim::tlm::neuronlink
