// The completions that a stream of instructions can rely on in any timing: those it has waited for, and those
// that they imply.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/builder/event.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::builder {

class Knowledge {
  public:
    Knowledge() : producers_(neff::EngineCount), streams_(neff::EngineCount) {}

    void add_queue() { producers_.emplace_back(); }

    // Returns the events of `after` that the next instruction of the engine has to wait for, at most one a
    // producer. A data-path instruction comes after everything before it in its stream anyway.
    After needed(std::size_t engine, const After& after, bool data_path) const;

    // Returns whether one completion implies another.
    bool implies(const Event& event, const Event& other) const;

    // Notes that the engine has waited for the events.
    void learn(std::size_t engine, const After& events);

    // Notes that `event` completes after everything that the engine knows now.
    void tells(const Event& event, std::size_t engine);

  private:
    using Clock = std::vector<std::uint64_t>;  // by producer: number of completions
    struct Told {
        std::uint64_t index;  // valid from this event of the producer on
        Clock clock;
    };
    struct Stream {
        Clock clock;
        std::uint64_t version = 0;
    };
    struct Producer {
        std::vector<Told> told;
        std::uint64_t version = 0;  // version of the stream when it told last
    };

    static std::uint64_t entry(const Clock& clock, std::size_t producer) {
        return producer < clock.size() ? clock[producer] : 0;
    }
    const Clock* clock_of(const Event& event) const;

    std::vector<Producer> producers_;
    std::vector<Stream> streams_;
};

}  // namespace trnsim::builder
