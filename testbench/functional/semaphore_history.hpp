// What the value of a semaphore tells about the agents that changed it, whatever the order in which they did.
//
// Additions and subtractions are two running totals. Whoever sees a value knows, beside that value, only the
// changes it has been ordered behind: having seen S >= v with b subtractions known, it knows that additions
// of at least v + b have happened, and no more than that. So a loop whose wait can be satisfied by what an
// earlier turn waited for is noticed. Which agent made them is known only as far as the others cannot have
// made them: an agent's part is what remains when every other agent has added all that it may have added.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "testbench/functional/clocks.hpp"
#include "testbench/isa/isa_tables.hpp"

namespace trnsim::functional {

class SemaphoreHistory {
  public:
    // How far an agent is known to have come.
    using Known = std::function<std::uint32_t(std::size_t agent)>;

    // Agent `agent` at its own time `now`, knowing `clock`, changed the semaphore.
    void changed(isa::UpdateMode mode, std::uint32_t amount, std::size_t agent, std::uint32_t now,
                 const Clock& clock);
    // An addition that may happen from here on and has not been made yet.
    void announced(std::uint32_t amount, std::size_t agent) { up_.by_agent[agent].pending += amount; }

    // What is known besides once the semaphore has been seen at or above, at or below a value. A setting that
    // is neither known nor proved, as the semaphore was never as high before, makes everything unknown.
    Clock at_least(std::uint32_t value, const Known& known, std::size_t agents) const;
    Clock at_most(std::uint32_t value, const Known& known, std::size_t agents) const;

  private:
    // The changes of one agent in one direction.
    struct Own {
        std::uint32_t time;
        std::uint64_t total;  // with all before
        Clock clock;
    };
    struct Changes {
        std::vector<Own> made;
        std::uint64_t pending = 0;

        std::uint64_t made_total() const { return made.empty() ? 0 : made.back().total; }
    };
    struct Direction {
        std::map<std::size_t, Changes> by_agent;

        void add(std::uint32_t amount, std::size_t agent, std::uint32_t now, const Clock& clock);
        void forget_made();
        std::uint64_t total() const;
        std::uint64_t known_total(const Known& known) const;
        Clock reaching(std::uint64_t total, std::size_t agents) const;
    };
    bool setting_known(const Known& known) const;

    std::uint32_t base_ = 0;  // last setting
    std::size_t setter_ = 0;
    std::uint32_t set_time_ = 0;
    std::uint64_t highest_before_ = 0;  // bound of the values before the last setting
    Clock set_clock_;
    Direction up_, down_;  // since then
};

}  // namespace trnsim::functional
