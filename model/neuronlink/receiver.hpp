// The receiving end of one direction of a link: which frames count, what the sender is told.
//
// Packets are taken in the order of their numbers, each once. A packet that does not follow the one before is
// discarded, and the sender is asked once to repeat from there on. Room in the buffers is told as the number
// of flits that may be sent altogether, so a control frame that is lost costs nothing once another one comes.
#pragma once

#include <array>

#include "model/neuronlink/statistics.hpp"

namespace trnsim::tlm::neuronlink {

class Receiver {
  public:
    explicit Receiver(const Parameters& parameters);

    // A frame without errors. True when its packet is accepted; it is then in the buffer of its channel until
    // release(). Throws std::logic_error when the buffer has no room for it.
    bool take(const Frame& frame);
    // A frame with a wrong CRC.
    void take_damaged();

    // A packet of this many flits leaves its buffer.
    void release(unsigned channel, std::uint64_t flits);

    // Something new to tell; something that must not wait.
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

    std::uint64_t room_;  // flits of a buffer
    std::uint16_t expected_ = 0;
    bool asked_ = false;   // for a repetition that has not come
    bool repeat_ = false;  // to be asked for with the next frame
    bool pending_ = false, urgent_ = false;
    std::array<std::uint16_t, Channels> limits_{};
    std::array<std::uint64_t, Channels> held_{};  // flits
    ReceiveStatistics statistics_;
};

}  // namespace trnsim::tlm::neuronlink
