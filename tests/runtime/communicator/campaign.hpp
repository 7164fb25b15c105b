// A campaign of faults against collectives on a small server: the kinds of faults, their times, and the
// outcomes of collectives.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/communicator/communicator.hpp"

namespace trnsim::test {

enum class Kind : std::uint8_t {
    WrongBits,  // one to three bits of the next frame on a wire
    LostFrame,  // the next frame on a wire is lost
    Lanes,      // a wire with fewer lanes
    ShortCut,   // a cable that is restored before its link is given up
    LongCut,    // a cable that is restored later
    LostChip,   // all cables of a chip, for good
    OneBit,     // one bit of a stored word of HBM
    TwoBits,    // two bits of the same word
};
constexpr std::array KindNames{"wrong bits",          "lost frame",          "lanes that fail",
                               "cable, for a while",  "cable, for longer",   "lost chip",
                               "HBM, one bit a word", "HBM, two bits a word"};
constexpr std::size_t Kinds = KindNames.size();

enum class Outcome : std::uint8_t {
    Unharmed,
    Corrected,
    Repeated,
    Rerouted,
    Collectives,
    HbmUncorrectable,
    Other,
    Wrong
};
constexpr std::array OutcomeNames{"unharmed",   "corrected",  "repeated",    "rerouted",
                                  "error 1200", "error 1201", "other error", "wrong result"};
constexpr std::size_t Outcomes = OutcomeNames.size();
inline bool is_right(Outcome outcome) {
    return outcome <= Outcome::Rerouted;
}

struct Tally {
    std::uint64_t strikes = 0, collectives = 0;
    std::array<std::uint64_t, Outcomes> ended{};

    void add(const Tally& other);
};

// A campaign on one server, in one process. After a collective that did not end well, and after faults of
// HBM, it is not used again: healthy() is false.
class Campaign {
  public:
    explicit Campaign(tlm::LinkedServer& server);

    // Runs a random collective undisturbed, and then with `kinds` striking at random times. `collective` is
    // the seed of all random choices.
    Outcome strike(const std::vector<Kind>& kinds, std::uint64_t collective);

    bool healthy() const { return healthy_; }
    // Returns another failure in one line; empty if there was none.
    const std::string& complaint() const { return complaint_; }

  private:
    struct Counts {  // the ways to the right result
        std::uint64_t corrected = 0, repeated = 0, rerouted = 0;
    };

    void draw_collective();
    void fill_memories();
    bool outputs_are_right();
    void plan(Kind kind, tlm::Time longest);
    void strike_hbm(unsigned bits);
    void set_alarm();
    void ring();
    Counts counts();
    void heal();
    void complain(const std::string& what);
    std::uint64_t draw(std::uint64_t below) { return random_() % below; }

    tlm::LinkedServer& server_;
    communicator::Communicator communicator_;
    std::mt19937_64 random_;
    communicator::Buffers buffers_;
    std::uint32_t rounding_seed_ = 0;
    std::vector<std::vector<std::uint8_t>> expected_;  // [rank]
    std::multimap<tlm::Time, std::function<void()>> strikes_;
    tlm::protocol::Alarm alarm_{[this] { ring(); }, tlm::protocol::Alarm::Set::ByOthers};
    std::uint64_t ways_ = 0;                               // number of times that a path was closed
    std::set<std::pair<unsigned, std::uint64_t>> struck_;  // chip and word
    bool healthy_ = true;
    std::string complaint_;
};

}  // namespace trnsim::test
