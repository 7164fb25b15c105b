// The chips of the server that other processes simulate.
#pragma once

#include <utility>

#include "model/neuronlink/cable.hpp"
#include "model/neuronlink/topology.hpp"

namespace trnsim::tlm::neuronlink {

class Elsewhere {
  public:
    virtual ~Elsewhere() = default;

    virtual bool has(unsigned chip) const = 0;
    // Takes a frame to the process of a chip, where Network::receive() is called before the time comes.
    virtual void send(End to, Frame frame, Time at) = 0;
};

// The near end of a cable with the other end in another process.
class CableToElsewhere : public CableEnd {
  public:
    CableToElsewhere(Elsewhere& elsewhere, End to) : elsewhere_(elsewhere), to_(to) {}
    void send(Frame frame, Time at) override { elsewhere_.send(to_, std::move(frame), at); }

  private:
    Elsewhere& elsewhere_;
    End to_;
};

}  // namespace trnsim::tlm::neuronlink
