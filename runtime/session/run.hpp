// The parameters of an execution beside its tensors: one record from the caller to the device.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/trace/sink.hpp"
#include "runtime/loader/image_writes.hpp"
#include "runtime/session/checkpoint.hpp"
#include "runtime/session/device.hpp"
#include "runtime/session/notifications.hpp"
#include "runtime/session/tracks.hpp"

namespace trnsim::runtime {

// Handles of a session; no value is reused.
enum class ModelId : std::uint64_t {};
enum class TensorId : std::uint64_t {};

// Tensors of the device, by name of the input or output.
using Bindings = std::map<std::string, TensorId, std::less<>>;

using loader::Rounding;

struct Progress {
    std::uint64_t completed = 0, total = 0;  // instructions of all engines; total: each instruction once
    std::uint64_t cycles = 0;                // simulated so far, by the rank with the most
    double wall_seconds = 0;
};

constexpr double ProgressSeconds = 0.25;  // s of wall time, about, between two calls of a progress function

// Returning false ends the run with Outcome::TimeLimit; in several processes, any of them can do so.
using ProgressFunction = std::function<bool(const Progress&)>;

struct Run {
    std::vector<Bindings> bindings{};  // for this execution, by rank, before those of load(); empty: none
    Rounding rounding{};               // for all ranks
    std::uint64_t max_time = 0;        // fs of simulated time after which the run is stopped; 0: no limit
    ProgressFunction progress{};
    Tracks* trace = nullptr;  // gets the activity of all cores of this process
    std::optional<WaveRequest> wave{};
    tlm::trace::Sink* listener = nullptr;  // gets the reports of the device if the session has made it
    std::vector<NotificationLog*> notifications{};  // by rank, if load() asked for queues
    // Throw Error if there is something that no checkpoint can hold, and for a state of another execution;
    // they are not for packages with bound tensors. A state has the inputs, so inputs are ignored if the
    // execution continues from one.
    Checkpoints checkpoints{};
    bool read_outputs = true;  // unbound outputs come back as arrays
    // Nothing reads the memory afterwards: that of the outputs is given up when they have been read.
    bool takes_outputs = false;
};

}  // namespace trnsim::runtime
