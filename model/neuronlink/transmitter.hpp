// The sending end of one direction of a link: credits and go-back-N.
//
// A packet goes when the far buffer of its channel has room for all of it. It stays in the replay buffer until
// it is acknowledged. When the far side asks for a repetition, or nothing is acknowledged for the retry time,
// everything in the replay buffer is sent again, in order, before anything new.
#pragma once

#include <deque>

#include "model/neuronlink/port_report.hpp"
#include "model/neuronlink/receiver.hpp"
#include "model/neuronlink/wire.hpp"

namespace trnsim::tlm::neuronlink {

constexpr Time Never = ~Time{0};

class Transmitter {
  public:
    // Frames also carry what `receiver`, of the other direction, has to tell. `report` is told of what is
    // sent.
    Transmitter(const Parameters& parameters, Wire& wire, Receiver& receiver, const PortReport& report);

    // Returns whether the channel and the replay buffer allow a new packet now.
    bool has_room(unsigned channel, std::uint64_t flits) const;
    bool has_credits(unsigned channel, std::uint64_t flits) const { return flits <= credits(channel); }
    std::uint64_t credits(unsigned channel) const {  // flits
        return static_cast<std::uint16_t>(limits_[channel] - used_[channel]);
    }
    std::uint64_t replay_flits() const { return replay_flits_; }  // not acknowledged

    // send(), repeating frames and control frames need a free wire.
    void send(PacketPtr packet, unsigned channel, Time now);
    bool repeating() const { return next_ < replay_.size(); }
    void repeat(Time now);
    void send_control(Time now, bool poll);

    // Takes what a frame says about this direction.
    void hear(const Frame& frame, Time now);

    // Returns when the retry time is over.
    Time retry_at() const { return replay_.empty() || repeating() ? Never : retry_at_; }
    // Begins to send everything that is not acknowledged again. Returns false if that has happened too often
    // in a row without an acknowledgement.
    bool retry(Time now);

    // Gives up everything that is not acknowledged.
    void give_up();
    // Begins anew with both ends; there are no credits until a frame brings them.
    void restart();
    // The link is up again: sends everything that is not acknowledged again.
    void resume(Time now);

    SendStatistics& statistics() { return statistics_; }
    const SendStatistics& statistics() const { return statistics_; }

  private:
    struct Sent {
        PacketPtr packet;
        unsigned channel;
        std::uint16_t sequence;
    };
    void transmit(const Sent& sent, trace::LinkFrame::Kind kind, Time now);
    void put(Frame frame, trace::LinkFrame::Kind kind, Time now);
    void restart_timer(Time now);

    const Parameters& parameters_;
    Wire& wire_;
    Receiver& receiver_;
    const PortReport& report_;
    std::uint16_t sequence_ = 0;                             // number of the next packet
    std::array<std::uint16_t, Channels> used_{}, limits_{};  // total flits, modulo 2^16
    std::deque<Sent> replay_;
    std::uint64_t replay_flits_ = 0;
    std::size_t next_ = 0;       // next of the replay buffer to be sent again; its size: none
    std::uint64_t retries_ = 0;  // retries in a row
    Time retry_at_ = Never;
    SendStatistics statistics_;
};

}  // namespace trnsim::tlm::neuronlink
