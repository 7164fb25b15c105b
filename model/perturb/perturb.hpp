// Seeded random delays and stalls, which show whether anything is right only because of how long things take
// (docs/verification.md). All policy is here; models only ask how much longer something takes.
//
// An agent is something that can run ahead of the others or fall behind: a DMA engine, a port, an HBM stack.
// Its pace changes from phase to phase, from not disturbed at all to very slow, and all its places follow it,
// so that agents drift apart by microseconds. Each place draws from a stream of its own; all streams follow
// from one seed and from the names. Without a seed everything gives 0 and costs a comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "arch/addresses/addresses.hpp"
#include "model/protocol/types.hpp"

namespace trnsim::tlm::perturb {

using Seed = std::optional<std::uint32_t>;  // no value: nothing is perturbed

// Returns the seed of one of several cores that have agents of the same names. Agents of a chip outside its
// cores take the seed of its core 0; core 0 of chip 0 has `seed` itself.
Seed seed_of(Seed seed, addresses::CoreId core);

class Agent {
  public:
    Agent() = default;  // is never perturbed
    Agent(Seed seed, std::string_view name);

    bool perturbed() const { return period_ != 0; }

  private:
    friend class Delay;
    friend class Stall;
    friend class Choice;
    enum Pace : std::uint8_t { Undisturbed, Light, Busy, Slow };
    Pace pace(Time at) const;

    std::uint64_t key_ = 0;
    Time period_ = 0;  // fs of a phase
    int bias_ = 0;     // its pace compared with that of others, throughout
};

// A stream of independent random numbers.
class Stream {
  public:
    Stream() = default;
    explicit Stream(std::uint64_t state) : state_(state) {}
    Stream(std::uint32_t seed, std::string_view name);  // the stream of this name
    std::uint64_t next();
    // Returns 1, now and then 4, 16, 64 or 256.
    std::uint64_t tail();

  private:
    std::uint64_t state_ = 0;
};

// The longest delay.
constexpr Time LongestDelay = 20'000'000'000;  // fs

// The extra time that something takes.
class Delay {
  public:
    Delay() = default;
    // `unit` in fs: about the usual delay in a phase of light disturbance.
    Delay(const Agent& agent, std::string_view place, Time unit);

    bool perturbed() const { return agent_.perturbed(); }
    // Returns the delay of something that happens at `at`.
    Time of(Time at) { return agent_.perturbed() ? draw(at) : 0; }
    // Returns a time in [first, last], often one of the ends.
    Time between(Time first, Time last);

  private:
    Time draw(Time at);

    Agent agent_;
    Time unit_ = 0;
    Stream stream_;
};

constexpr std::uint64_t ShortStall = 4;  // ticks

// The clock ticks in which something is held back.
class Stall {
  public:
    Stall() = default;
    // `unit` in ticks: about the longest of most stalls.
    Stall(const Agent& agent, std::string_view place, std::uint64_t unit = ShortStall);

    // Returns true if it is held back in the tick at `at`; called once for each tick in which that matters.
    bool next(Time at) { return agent_.perturbed() && draw(at); }

  private:
    bool draw(Time at);

    Agent agent_;
    Stream stream_;
    std::uint64_t unit_ = 0;
    std::uint64_t left_ = 0;  // ticks
};

// A choice between several that may be taken in any order.
class Choice {
  public:
    Choice() = default;
    Choice(const Agent& agent, std::string_view place);
    std::size_t next(std::size_t count) { return stream_.next() % count; }

  private:
    Stream stream_;
};

// A valid signal under stalls: it may come up late, but once up it stays until the other side is ready.
class HeldValid {
  public:
    HeldValid() = default;
    HeldValid(const Agent& agent, std::string_view place) : stall_(agent, place) {}

    // Returns the signal in the tick at `at`: `offered` is true if there is something to transfer, `ready` if
    // the other side takes it in this tick.
    bool next(bool offered, bool ready, Time at) {
        const bool valid = offered && (up_ || !stall_.next(at));
        up_ = valid && !ready;
        return valid;
    }

    // The offer has been taken back: its side was reset.
    void withdraw() { up_ = false; }

  private:
    Stall stall_;
    bool up_ = false;
};

}  // namespace trnsim::tlm::perturb
