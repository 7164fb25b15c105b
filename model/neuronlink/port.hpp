// One port of a chip: both directions of its link, the state of the link, and the time of its next step.
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

    // Takes frames that are there and handles times that are over.
    void step(Time now);
    // Sends what goes before packets: repetitions and what the far side asked for.
    void send_first(Time now);
    // Sends a packet if it may go now.
    bool offer(const PacketPtr& packet, unsigned channel, Time now);
    // Sends what goes when no packet does. `wanted`: a packet waits for this port.
    void send_last(Time now, bool wanted);
    // Tells listeners how the port stands; called when nothing more happens now.
    void report_standing(Time now);
    // Does the same for a listener that knows nothing yet.
    void report_anew(Time now) {
        report_.renew();
        report_standing(now);
    }
    // Returns when step() is to be called next; Never: when a frame comes.
    Time next(Time now, bool wanted) const;

    void release(unsigned channel, std::uint64_t flits) { receiver_.release(channel, flits); }

    // Cuts the cable. `for_good`: the link is given up at once.
    void take_down(Time now, bool for_good);
    // Makes the cable whole again: the link is up after the training time.
    void bring_up(Time now);
    bool up() const { return state_ == State::Up; }
    bool undisturbed() const {
        return up() && outages_.count == 0 && sent().retries == 0 && sent().polls == 0;
    }
    bool given_up() const { return given_up_; }
    // True if no frame is on its way here, all that was sent is acknowledged, and there is nothing to tell.
    bool at_rest() const {
        return inbox_.empty() && transmitter_.replay_flits() == 0 && !receiver_.pending();
    }

    Wire& wire() { return wire_; }
    const SendStatistics& sent() const { return transmitter_.statistics(); }
    const ReceiveStatistics& received() const { return receiver_.statistics(); }
    const FaultStatistics& faults() const { return wire_.faults().statistics(); }
    const Wire& wire() const { return wire_; }
    OutageStatistics outages(Time now) const;

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
    std::deque<Arriving> inbox_;  // ordered by time
    State state_ = State::Up;
    bool given_up_ = false;
    Time down_at_ = 0, up_at_ = 0;
    Time down_since_ = 0;  // since when the link has not been up, while it is not
    OutageStatistics outages_;
    Time last_control_ = 0;
    Time blocked_since_ = Never;  // since when a packet waits for credits while the wire is free
    Time poll_at_ = Never;
    bool poll_due_ = false;
    std::uint64_t polls_ = 0;  // polls in a row without any frame
    perturb::Delay delay_;
};

}  // namespace trnsim::tlm::neuronlink
