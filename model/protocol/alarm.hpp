// When a model wakes: in place of an event and a process of its own.
//
// Alarms that are due at the same time ring in the order in which they were set, but those that other chips set
// ring before the others. SystemC orders events of the same time by whatever else is pending. So what a chip does
// does not depend on the chips that are simulated beside it, in this process or in another, nor on when it hears
// of what they have sent.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>

#include "model/protocol/types.hpp"

namespace trnsim::tlm::protocol {

class Alarm {
  public:
    enum class Set : std::uint8_t { ByItsChip, ByOthers };

    // To be made before the simulation starts. `action` may set alarms, this one among them. `by`: who sets it;
    // others may do so among them.
    explicit Alarm(std::function<void()> action, Set by = Set::ByItsChip);
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm();

    // Rings once, `delay` from now, or sooner where it is set already.
    void notify(const sc_core::sc_time& delay) { notify_at(now() + delay.value()); }
    // The same at `at`, or at once where that is past.
    void notify_at(Time at) {
        if (at < at_) set(at);
    }

    // Does not ring any more, unless it is set again.
    void cancel();

    // When the next alarm of the simulation is due; the largest time: none is set.
    static Time next();

  private:
    friend class Alarms;
    static constexpr Time NotSet = std::numeric_limits<Time>::max();

    void set(Time at);

    std::function<void()> action_;
    Set by_;
    std::uint32_t number_ = 0;  // in the order in which they were made
    Time at_ = NotSet;
};

}  // namespace trnsim::tlm::protocol
