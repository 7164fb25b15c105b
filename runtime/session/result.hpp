// What comes of an execution.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status/status.hpp"
#include "runtime/loader/contents.hpp"
#include "runtime/session/figures.hpp"
#include "runtime/session/run.hpp"

namespace trnsim::runtime {

using loader::Arrays;

// How it ended, for all of its ranks.
struct Ending {
    tlm::Outcome outcome = tlm::Outcome::Done;
    Status status = Status::Success;
    std::string message{};  // what went wrong, of several ranks with the rank; empty when done
    bool spinning = false;  // it hung because its engines were busy without effect
    Rounding rounding{};
    tlm::perturb::Seed perturb{};
    tlm::contents::Seed random_memory{};
    std::optional<CheckpointTimes> checkpoint{};  // where the run came to it
    std::optional<std::uint64_t> resumed{};       // fs of simulated time from which on it has gone on

    bool done() const { return outcome == tlm::Outcome::Done; }
};

struct RankResult {
    addresses::CoreId core_id{};
    bool here = true;                   // in this process; else nothing of what follows is known
    Fidelity fidelity = Fidelity::Rtl;  // at the end
    tlm::CoreInfo core{};               // what it was made from
    Figures figures{};                  // of the time until the last rank's end
    std::optional<NotificationCounts> notifications{};  // where there is a queue
    std::vector<std::string> printed{};                 // by GpSimd cores, "[gpsimd core 3] text"
    Arrays outputs{};                                   // by name; empty unless all are done
};

// Of one rank.
struct Result : Ending, RankResult {};

// Of all ranks.
struct Results : Ending {
    // fs, from the start of the first rank to the end of the last, which is seen up to a latency of the links later.
    std::uint64_t time = 0;
    std::vector<RankResult> ranks{};

    Result of(std::uint32_t rank) const { return {*this, ranks.at(rank)}; }
};

}  // namespace trnsim::runtime
