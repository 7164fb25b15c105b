// What an execution is given beside its tensors, and what comes of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status/status.hpp"
#include "runtime/loader/contents.hpp"
#include "runtime/loader/image_writes.hpp"
#include "runtime/session/checkpoint.hpp"
#include "runtime/session/fidelity.hpp"
#include "runtime/session/figures.hpp"
#include "runtime/session/notifications.hpp"

namespace trnsim::runtime {

using loader::Arrays;
using loader::Rounding;

struct Progress {
    std::uint64_t completed = 0, total = 0;  // instructions of all engines; total: each instruction once
    std::uint64_t cycles = 0;                // simulated so far
    double wall_seconds = 0;
};

constexpr double ProgressSeconds = 0.25;  // of wall time, about, between two calls of a progress function

// Returning false ends the run with Outcome::TimeLimit.
using ProgressFunction = std::function<bool(const Progress&)>;

struct Result {
    tlm::Outcome outcome = tlm::Outcome::Done;
    Status status = Status::Success;
    std::string message;    // what went wrong, empty when done
    bool spinning = false;  // it hung because its engines were busy without effect
    Rounding rounding;
    tlm::perturb::Seed perturb;
    tlm::contents::Seed random_memory;
    addresses::CoreId core_id;
    tlm::CoreInfo core;
    Fidelity fidelity = Fidelity::Rtl;            // at the end
    std::optional<CheckpointTimes> checkpoint{};  // where the run came to it
    std::optional<std::uint64_t> resumed{};       // fs of simulated time from which on it has gone on
    Figures figures;
    std::optional<NotificationCounts> notifications;  // where there is a queue
    std::vector<std::string> printed;                 // by GpSimd cores, "[gpsimd core 3] text"
    Arrays outputs;                                   // by name; empty unless done

    bool done() const { return outcome == tlm::Outcome::Done; }
};

}  // namespace trnsim::runtime
