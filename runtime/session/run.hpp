// What an execution is given beside its tensors: one record from whoever asks for it to the device.
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

// Handles of a session; none is given twice.
enum class ModelId : std::uint64_t {};
enum class TensorId : std::uint64_t {};

// Tensors of the device by name of an input or output.
using Bindings = std::map<std::string, TensorId, std::less<>>;

using loader::Rounding;

struct Progress {
    std::uint64_t completed = 0, total = 0;  // instructions of all engines; total: each instruction once
    std::uint64_t cycles = 0;                // simulated so far, of the rank with the most
    double wall_seconds = 0;
};

constexpr double ProgressSeconds = 0.25;  // of wall time, about, between two calls of a progress function

// Returning false ends the run with Outcome::TimeLimit; in several processes, of any of them.
using ProgressFunction = std::function<bool(const Progress&)>;

struct Run {
    std::vector<Bindings> bindings{};  // of this execution, by rank, before those of load(); empty: none
    Rounding rounding{};               // of all ranks
    std::uint64_t max_time = 0;        // fs of simulated time after which it is stopped; 0: none
    ProgressFunction progress{};
    Tracks* trace = nullptr;  // what all cores that are here do
    std::optional<WaveRequest> wave{};
    tlm::trace::Sink* listener = nullptr;  // gets what the device reports, where the session has made it
    std::vector<NotificationLog*> notifications{};  // by rank, where load() asked for queues
    // Throw Error where there is something that no checkpoint has, and for a state of another execution; not for packages whose tensors
    // are bound. A state has the inputs, which are not looked at where the execution goes on from one.
    Checkpoints checkpoints{};
    bool read_outputs = true;  // those that are not bound come back as arrays
};

}  // namespace trnsim::runtime
