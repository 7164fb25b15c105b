// Runs a compiled kernel on a machine: prepare() checks everything a user can get wrong, execute() loads,
// runs, reads back.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/runtime/error.hpp"
#include "lib/runtime/figures.hpp"
#include "lib/runtime/image.hpp"
#include "lib/runtime/machine.hpp"
#include "lib/runtime/notifications.hpp"
#include "lib/runtime/observer.hpp"
#include "lib/runtime/tensor_io.hpp"

namespace trnsim::runtime {

using Arrays = std::map<std::string, npy::Array>;

// How narrowing writes round that leave it to the core, and the seed of its generators.
struct Rounding {
    bool stochastic = false;
    std::uint32_t seed = 0;
};

// A kernel ready for a machine of its configuration.
struct Prepared {
    Image image;
    std::vector<std::vector<std::uint8_t>>
        contents;  // by Package::tensors; empty: the tensor starts as the memory does
    Rounding rounding;
    std::uint64_t max_time = 0;           // fs of simulated time after which the run is stopped; 0: none
    std::uint64_t idle_instructions = 0;  // config::Runtime; 0: no limit
    std::uint64_t drain_interval = 0;     // fs in which the notification queue cannot fill more than half
};

// Throws Error when the kernel does not fit the configuration, an input is missing, unknown or of wrong type
// or shape.
// `notifications`: records of the buffer for the notification queue, a power of two; 0: there is no queue.
Prepared prepare(const neff::Package& package, const config::Config& config, const Arrays& inputs,
                 std::uint32_t notifications = 0);

struct Progress {
    std::uint64_t completed = 0, total = 0;  // instructions of all engines; total: each instruction once
    std::uint64_t cycles = 0;                // simulated so far
    double wall_seconds = 0;
};

struct Result {
    tlm::chip::Outcome outcome = tlm::chip::Outcome::Done;
    std::string message;    // what went wrong, empty when done
    bool spinning = false;  // it hung because its engines were busy without effect
    Rounding rounding;
    tlm::perturb::Seed perturb;
    tlm::contents::Seed random_memory;
    tlm::CoreInfo core;
    Figures figures;
    std::optional<NotificationCounts> notifications;  // where there is a queue
    Arrays outputs;                                   // by name; empty unless done

    bool done() const { return outcome == tlm::chip::Outcome::Done; }
};

// Called about four times a second of wall time; returning false ends the run with Outcome::TimeLimit.
using ProgressFunction = std::function<bool(const Progress&)>;

// `observer` is the sink the machine reports to; `log` gets the records of the notification queue and is
// needed if there is one.
Result execute(Machine& machine, const neff::Package& package, const Prepared& prepared,
               const Observer& observer, const ProgressFunction& progress = {},
               NotificationLog* log = nullptr);

}  // namespace trnsim::runtime
