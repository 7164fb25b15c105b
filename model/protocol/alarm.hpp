// Alarms wake models, in place of an event and a process for each model.
//
// Alarms that are due at the same time ring in the order in which they were set, but those that other chips
// set ring before the others. SystemC would order events of the same time by whatever else is pending. So
// what a chip does depends neither on the chips that are simulated beside it, in this process or in another,
// nor on when it hears of what they have sent.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>

#include "model/protocol/types.hpp"

namespace trnsim::tlm::protocol {

class Alarm {
  public:
    enum class Set : std::uint8_t { ByItsChip, ByOthers };

    // Must be made before the simulation starts. `action` may set alarms, this one among them. `by`: ByOthers
    // if other chips may set it.
    explicit Alarm(std::function<void()> action, Set by = Set::ByItsChip);
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm();

    // Rings once, `delay` from now, or sooner if it is set already.
    void notify(const sc_core::sc_time& delay) { notify_at(now() + delay.value()); }
    // Rings once at `at`, or at once if that is past.
    void notify_at(Time at) {
        if (at < at_) set(at);
    }

    // Cancels the alarm: it does not ring until it is set again.
    void cancel();

    // Returns when the next alarm of the simulation is due; the largest time: none is set.
    static Time next();

    // Rings what is due before `end`, one chip after the other, each with a clock of its own, so that the data
    // of one chip stays in the caches of the host. What chips do may have no effect on others before `end`.
    // Called between steps of the simulation, which then advances to `end`. Returns false, having done
    // nothing, if an alarm of no chip is due before.
    static bool ring_by_chips(Time end);

  private:
    friend class Alarms;
    static constexpr Time NotSet = std::numeric_limits<Time>::max();

    void set(Time at);

    std::function<void()> action_;
    Set by_;
    std::uint32_t number_ = 0;  // by the order in which alarms were made
    std::uint32_t chip_ = 0;    // its chip, from 1 on; 0: none
    Time at_ = NotSet;
};

// Alarms that are made while this exists belong to a chip.
class AlarmsOfChip {
  public:
    explicit AlarmsOfChip(unsigned chip);
    AlarmsOfChip(const AlarmsOfChip&) = delete;
    AlarmsOfChip& operator=(const AlarmsOfChip&) = delete;
    ~AlarmsOfChip();

  private:
    std::uint32_t before_;
};

}  // namespace trnsim::tlm::protocol
