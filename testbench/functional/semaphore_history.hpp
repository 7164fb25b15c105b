// Derives from the value of a semaphore what the agents that changed it have done, whatever the order in
// which they did.
//
// Additions and subtractions are two running totals. An agent that sees a value knows, beside that value,
// only the changes that are ordered before it: having seen S >= v with b subtractions known, it knows that
// additions of at least v + b have happened, and no more than that. So a loop with a wait that can be
// satisfied by the changes that an earlier iteration waited for is noticed. One particular addition is known
// to be among them only if the total of all additions that may have happened without it is less: those that
// its agent made before, and those of other agents that are not ordered after it.
//
// That total includes later additions of the run that are not ordered after the reading: in another order
// they come first. They are known only afterwards. So a history learns from a run which of its readings told
// too much, and the run is repeated until there is nothing to learn.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "isa/isa_tables.hpp"
#include "testbench/functional/clocks.hpp"

namespace trnsim::functional {

class SemaphoreHistory {
  public:
    // Returns how far an agent is known to have come.
    using Known = std::function<std::uint32_t(std::size_t agent)>;
    // A reading of the value by an engine at its instruction `time`; `issue` is the entry of clocks that says
    // how far the engine is known to have issued.
    struct Reading {
        std::size_t engine, issue;
        std::uint32_t time;
    };

    // Agent `agent`, which knows `clock`, changed the semaphore at its own time `now`.
    void changed(isa::UpdateMode mode, std::uint32_t amount, std::size_t agent, std::uint32_t now,
                 const Clock& clock);
    // Announces an addition that may happen from now on and has not been made yet, by an agent that will know
    // `clock`.
    void announced(std::uint32_t amount, std::size_t agent, const Clock& clock) {
        up_.by_agent[agent].pending.push_back({amount, clock});
    }

    // Return what is known in addition once the semaphore has been seen at or above, or at or below, a value.
    // Nothing is known after a setting that is neither known nor proved; it is proved if the semaphore was
    // never as high before.
    Clock at_least(std::uint32_t value, const Known& known, const Reading& reading, std::size_t entries);
    Clock at_most(std::uint32_t value, const Known& known, const Reading& reading, std::size_t entries);

    // Forgets a run except for what it taught. Returns whether it taught anything.
    bool restart();

  private:
    // A change of one agent in one direction.
    struct Own {
        std::uint32_t time;
        std::uint64_t total;  // sum with all earlier changes of the agent
        Clock clock;
    };
    struct Pending {
        std::uint64_t amount;
        Clock clock;
    };
    struct Changes {
        std::vector<Own> made;
        std::deque<Pending> pending;

        // Returns the total of the changes that are not ordered after what `other` did at `time`.
        std::uint64_t without(std::size_t other, std::uint32_t time) const;

        std::uint64_t made_total() const { return made.empty() ? 0 : made.back().total; }
    };
    // The knowledge that a reading has given: how far agents have come.
    struct Credit {
        Reading reading;
        bool up;
        bool setting = false;  // true if it told that the semaphore has been set
        std::map<std::size_t, std::uint32_t> times{};
    };
    // The total that one agent may have reached without the change of another agent that a reading was
    // credited with, by that other agent, then by agent.
    using Substitutes = std::map<std::size_t, std::map<std::size_t, std::uint64_t>>;
    // Knowledge about a reading from later changes.
    struct Lesson {
        bool distrusted = false;  // a setting, or changes before it, may have been seen instead
        Substitutes up, down;
    };
    struct Direction {
        std::map<std::size_t, Changes> by_agent;

        void add(std::uint32_t amount, std::size_t agent, std::uint32_t now, const Clock& clock);
        void forget_made();
        std::uint64_t total() const;
        std::uint64_t known_total(const Known& known) const;
        // Returns whether the total is reached only with change `index` of an agent.
        bool takes(std::size_t agent, std::size_t index, std::uint64_t total,
                   const Substitutes& lesson) const;
        Clock reaching(std::uint64_t total, std::size_t entries, const Substitutes& lesson,
                       Credit& credit) const;
    };
    Clock credited(bool up, std::uint64_t total, const Reading& reading, std::size_t entries);
    const Lesson& lesson_of(const Reading& reading) const;
    template <typename Visit>
    void for_unordered(const Clock& clock, Visit visit) const;
    void doubt(bool up, std::size_t agent, const Clock& clock);
    void distrust(const Reading& reading);
    bool setting_known(const Known& known) const;

    std::uint32_t base_ = 0;  // value of the last setting
    std::size_t setter_ = 0;
    std::uint32_t set_time_ = 0;
    std::uint64_t highest_before_ = 0;  // upper bound of the values before the last setting
    Clock set_clock_;
    Direction up_, down_;                                              // changes since the last setting
    std::map<std::size_t, std::vector<Credit>> credits_;               // by engine, in the order of its time
    std::map<std::pair<std::size_t, std::uint32_t>, Lesson> lessons_;  // by engine and time
    bool learned_ = false;
};

}  // namespace trnsim::functional
