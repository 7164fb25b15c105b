// The result of an execution.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status/status.hpp"
#include "runtime/loader/contents.hpp"
#include "runtime/session/figures.hpp"
#include "runtime/session/run.hpp"

namespace trnsim::runtime {

using loader::Arrays;

// The end of an execution, for all of its ranks.
struct Ending {
    tlm::Outcome outcome = tlm::Outcome::Done;
    Status status = Status::Success;
    std::string message{};  // the failure, with the rank if there are several; empty when done
    bool spinning = false;  // it hung because its engines were busy without effect
    Rounding rounding{};
    tlm::perturb::Seed perturb{};
    tlm::contents::Seed random_memory{};
    std::optional<CheckpointTimes> checkpoint{};  // if the run reached it
    std::optional<std::uint64_t> resumed{};       // fs of simulated time from which it continued

    bool done() const { return outcome == tlm::Outcome::Done; }
};

struct RankResult {
    addresses::CoreId core_id{};
    bool here = true;                   // in this process; otherwise the other members are not known
    Fidelity fidelity = Fidelity::Rtl;  // at the end
    tlm::CoreInfo core{};               // properties of its build
    Figures figures{};                  // for the time until the last rank's end
    std::optional<NotificationCounts> notifications{};  // if there is a queue
    std::vector<std::string> printed{};                 // lines of GpSimd cores, "[gpsimd core 3] text"
    Arrays outputs{};                                   // by name; empty unless all are done
};

// The result of one rank.
struct Result : Ending, RankResult {};

// The results of all ranks.
struct Results : Ending {
    // fs from the start of the first rank to the end of the last, which is seen up to a latency of the links
    // later.
    std::uint64_t time = 0;
    std::vector<RankResult> ranks{};

    Result of(std::uint32_t rank) const& { return {*this, ranks.at(rank)}; }
    Result of(std::uint32_t rank) && { return {*this, std::move(ranks.at(rank))}; }
};

}  // namespace trnsim::runtime
