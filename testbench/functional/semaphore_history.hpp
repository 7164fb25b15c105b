// What the value of a semaphore tells about the agents that changed it, whatever the order in which they did.
//
// Additions and subtractions are two running totals. Whoever sees a value knows, beside that value, only the
// changes it has been ordered behind: having seen S >= v with b subtractions known, it knows that additions
// of at least v + b have happened, and no more than that. So a loop whose wait can be satisfied by what an
// earlier turn waited for is noticed. That one addition is among them is known only if all that may have
// happened without it is less: what its agent added before, and what others add without being ordered
// behind it.
//
// That includes what is added later in a run without being ordered behind the reading: in another order it
// comes first. It is only known afterwards. So a history learns from a run which of its
// readings told too much, and the run is repeated until there is nothing to learn.
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
    // How far an agent is known to have come.
    using Known = std::function<std::uint32_t(std::size_t agent)>;
    // A look at the value: by which engine, at which of its instructions; `issue` is the entry of clocks that
    // says how far the engine is known to have issued.
    struct Reading {
        std::size_t engine, issue;
        std::uint32_t time;
    };

    // Agent `agent` at its own time `now`, knowing `clock`, changed the semaphore.
    void changed(isa::UpdateMode mode, std::uint32_t amount, std::size_t agent, std::uint32_t now,
                 const Clock& clock);
    // An addition that may happen from here on and has not been made yet, by an agent that will know `clock`.
    void announced(std::uint32_t amount, std::size_t agent, const Clock& clock) {
        up_.by_agent[agent].pending.push_back({amount, clock});
    }

    // What is known besides once the semaphore has been seen at or above, at or below a value. A setting that
    // is neither known nor proved, as the semaphore was never as high before, makes everything unknown.
    Clock at_least(std::uint32_t value, const Known& known, const Reading& reading, std::size_t entries);
    Clock at_most(std::uint32_t value, const Known& known, const Reading& reading, std::size_t entries);

    // Forgets a run but for what it taught. Returns whether it taught anything.
    bool restart();

  private:
    // The changes of one agent in one direction.
    struct Own {
        std::uint32_t time;
        std::uint64_t total;  // with all before
        Clock clock;
    };
    struct Pending {
        std::uint64_t amount;
        Clock clock;
    };
    struct Changes {
        std::vector<Own> made;
        std::deque<Pending> pending;

        // The total of those that are not ordered behind what `other` did at `time`.
        std::uint64_t without(std::size_t other, std::uint32_t time) const;

        std::uint64_t made_total() const { return made.empty() ? 0 : made.back().total; }
    };
    // What a reading has told: how far agents have come.
    struct Credit {
        Reading reading;
        bool up;
        bool setting = false;  // that the semaphore has been set
        std::map<std::size_t, std::uint32_t> times{};
    };
    // The total that an agent may have reached without what another was credited with: by the other, by
    // agent.
    using Substitutes = std::map<std::size_t, std::map<std::size_t, std::uint64_t>>;
    // What later changes have taught about a reading.
    struct Lesson {
        bool distrusted = false;  // a setting, or changes before it, may have been what was seen
        Substitutes up, down;
    };
    struct Direction {
        std::map<std::size_t, Changes> by_agent;

        void add(std::uint32_t amount, std::size_t agent, std::uint32_t now, const Clock& clock);
        void forget_made();
        std::uint64_t total() const;
        std::uint64_t known_total(const Known& known) const;
        // Whether the total is reached only with change `index` of an agent.
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

    std::uint32_t base_ = 0;  // last setting
    std::size_t setter_ = 0;
    std::uint32_t set_time_ = 0;
    std::uint64_t highest_before_ = 0;  // bound of the values before the last setting
    Clock set_clock_;
    Direction up_, down_;                                              // since then
    std::map<std::size_t, std::vector<Credit>> credits_;               // by engine, in the order of its time
    std::map<std::pair<std::size_t, std::uint32_t>, Lesson> lessons_;  // by engine and time
    bool learned_ = false;
};

}  // namespace trnsim::functional
