// One port of a chip: both directions of its link, whether the link is up, and when something is to be done.
//
// A link that is down loses what is on the wire. If it comes up again soon, everything that is not
// acknowledged is sent again and nothing is lost. After the give-up time it is given up: what is not
// acknowledged is lost, and both ends begin anew when it comes up. The two ends go down and come up at the
// same time, so they decide alike.
#pragma once

#include <deque>

#include "base/time/time.hpp"
#include "model/neuronlink/transmitter.hpp"
#include "model/perturb/perturb.hpp"

namespace trnsim::tlm::neuronlink {

// fs, the unit of the random delays of a perturbed port.
inline constexpr Time LinkPerturbUnit = 8 * FsPerNs;

class PortOwner {
  public:
    virtual ~PortOwner() = default;

    // A packet has arrived; it is in the buffer of its channel until Port::release().
    virtual void arrived(unsigned port, unsigned channel, PacketPtr packet) = 0;
    // The link has been given up, or can be used again after that.
    virtual void usable(unsigned port, bool usable) = 0;
    // step() is to be called at `at` or sooner.
    virtual void wake(Time at) = 0;
};

class Port : public FrameTarget {
  public:
    Port(unsigned number, const Parameters& parameters, PortOwner& owner, const perturb::Agent& agent,
         const PortReport& report);

    void connect(CableEnd& cable) { wire_.connect(cable); }

    void receive(Frame frame, Time at) override;

    // Frames that are there and times that are over.
    void step(Time now);
    // What goes before packets: repetitions and what the far side asked for.
    void send_first(Time now);
    // Sends a packet if it may go now.
    bool offer(const PacketPtr& packet, unsigned channel, Time now);
    // What goes when no packet does. `wanted`: a packet waits for this port.
    void send_last(Time now, bool wanted);
    // Nothing more happens now: how the port stands, for who listens.
    void report_standing(Time now);
    // When step() is to be called next; Never: when a frame comes.
    Time next(Time now, bool wanted) const;

    void release(unsigned channel, std::uint64_t flits) { receiver_.release(channel, flits); }

    // The cable is cut, `for_good`: it is given up at once.
    void take_down(Time now, bool for_good);
    // The cable is whole again: the link is up after the training time.
    void bring_up(Time now);
    bool up() const { return state_ == State::Up; }
    bool given_up() const { return given_up_; }
    // No frame is on its way here, all that was sent is acknowledged, and there is nothing to tell.
    bool at_rest() const {
        return inbox_.empty() && transmitter_.replay_flits() == 0 && !receiver_.pending();
    }

    Wire& wire() { return wire_; }
    const SendStatistics& sent() const { return transmitter_.statistics(); }
    const ReceiveStatistics& received() const { return receiver_.statistics(); }
    const FaultStatistics& faults() const { return wire_.faults().statistics(); }

  private:
    enum class State { Up, Down, Training };
    struct Arriving {
        Frame frame;
        Time at;
    };
    bool free(Time now) const { return up() && wire_.free_at() <= now; }
    void take(const Frame& frame, Time now);
    void check_timers(Time now);
    void come_up(Time now);
    void give_up();
    void end_stall(Time now);

    unsigned number_;
    const Parameters& parameters_;
    PortOwner& owner_;
    PortReport report_;
    Wire wire_;
    Receiver receiver_;
    Transmitter transmitter_;
    std::deque<Arriving> inbox_;  // by time
    State state_ = State::Up;
    bool given_up_ = false;
    Time down_at_ = 0, up_at_ = 0;
    Time last_control_ = 0;
    Time blocked_since_ = Never;  // a packet waits for credits, the wire is free
    Time poll_at_ = Never;
    bool poll_due_ = false;
    std::uint64_t polls_ = 0;  // in a row without any frame
    perturb::Delay delay_;
};

}  // namespace trnsim::tlm::neuronlink
