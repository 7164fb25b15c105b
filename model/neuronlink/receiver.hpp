// The receiving end of one direction of a link: it decides which frames count and what the sender is told.
//
// Packets are taken in the order of their numbers, each once. A packet that does not follow the previous one
// is discarded, and the sender is asked once to repeat from there on. The sender is told the room in the
// buffers as the total number of flits that may have been sent, so a lost control frame costs nothing once
// another one comes.
#pragma once

#include <array>

#include "model/neuronlink/statistics.hpp"

namespace trnsim::tlm::neuronlink {

class Receiver {
  public:
    explicit Receiver(const Parameters& parameters);

    // Takes a frame without errors. Returns true if its packet is accepted; it is then in the buffer of its
    // channel until release(). Throws std::logic_error if the buffer has no room for it.
    bool take(const Frame& frame);
    // Takes a frame with a wrong CRC.
    void take_damaged();

    // A packet of this many flits leaves its buffer.
    void release(unsigned channel, std::uint64_t flits);

    // pending: there is something new to tell the sender; urgent: it must not wait.
    bool pending() const { return pending_; }
    bool urgent() const { return urgent_; }
    // Writes it into a frame that is being sent.
    void tell(Frame& frame);

    // Both ends begin anew. What is in the buffers stays.
    void restart();
    // The link is up again: the sender is told at once how things stand.
    void resume() { pending_ = urgent_ = true; }

    const ReceiveStatistics& statistics() const { return statistics_; }
    ReceiveStatistics& statistics() { return statistics_; }

  private:
    void ask_for_repetition();

    std::uint64_t room_;  // flits of one buffer
    std::uint16_t expected_ = 0;
    bool asked_ = false;   // a repetition was asked for and has not come
    bool repeat_ = false;  // the next frame asks for a repetition
    bool pending_ = false, urgent_ = false;
    std::array<std::uint16_t, Channels> limits_{};
    std::array<std::uint64_t, Channels> held_{};  // flits
    ReceiveStatistics statistics_;
};

}  // namespace trnsim::tlm::neuronlink
