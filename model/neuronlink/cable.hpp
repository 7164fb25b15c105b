// The cable between two chips. The two ends share nothing but frames, each of which arrives at least the
// latency of the link after it was sent; so the chips may be simulated in two processes that let each other
// advance by that much.
#pragma once

#include "model/neuronlink/packet.hpp"

namespace trnsim::tlm::neuronlink {

// The receiver of frames.
class FrameTarget {
  public:
    virtual ~FrameTarget() = default;

    // The last bit of the frame is there at `at`, which is not in the past and not before that of the
    // previous frame.
    virtual void receive(Frame frame, Time at) = 0;
};

// One end of a cable, as the chip at this end sees it.
class CableEnd {
  public:
    virtual ~CableEnd() = default;

    // Hands the frame to the other end, where its last bit arrives at `at`: the latency of the link after it
    // was sent, or later.
    virtual void send(Frame frame, Time at) = 0;
};

// A cable with both ends in one process.
class DirectCable : public CableEnd {
  public:
    explicit DirectCable(FrameTarget& target) : target_(target) {}
    void send(Frame frame, Time at) override { target_.receive(std::move(frame), at); }

  private:
    FrameTarget& target_;
};

}  // namespace trnsim::tlm::neuronlink
