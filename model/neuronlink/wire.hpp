// One direction of a cable at its sending end: it times each frame and applies faults to it.
#pragma once

#include "model/neuronlink/cable.hpp"
#include "model/neuronlink/faults.hpp"

namespace trnsim::tlm::neuronlink {

class Wire {
  public:
    // `cable` may be null until the first frame is sent.
    explicit Wire(const Parameters& parameters);
    void connect(CableEnd& cable) { cable_ = &cable; }

    Time free_at() const { return free_at_; }  // when the next frame may begin

    // Sends a frame from `now` on; the wire must be free. Returns what became of it.
    Fate send(Frame frame, Time now, SendStatistics& statistics);

    // Sets the number of working lanes, at least 1: frames that begin later take longer by lanes / working
    // lanes. Throws std::invalid_argument for a number that the link does not have.
    void set_lanes(std::uint64_t lanes);
    std::uint64_t lanes() const { return lanes_; }

    Faults& faults() { return faults_; }
    const Faults& faults() const { return faults_; }

  private:
    const Parameters& parameters_;
    CableEnd* cable_ = nullptr;
    Faults faults_;
    std::uint64_t lanes_;
    Time free_at_ = 0;
};

}  // namespace trnsim::tlm::neuronlink
