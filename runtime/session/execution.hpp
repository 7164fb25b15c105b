// One execution of a package whose image is in memory: sets up rings, programs and rounding, starts the
// engines, runs to the end, says why where it went wrong.
#pragma once

#include "runtime/loader/image.hpp"
#include "runtime/session/machine.hpp"
#include "runtime/session/observer.hpp"
#include "runtime/session/result.hpp"

namespace trnsim::runtime {

using loader::Image;

struct ExecutionLimits {
    std::uint64_t max_time = 0;           // fs of simulated time after which it is stopped; 0: none
    std::uint64_t idle_instructions = 0;  // config::Runtime; 0: no limit
    std::uint64_t drain_interval = 0;     // fs in which the notification queue cannot fill more than half
};

// What is in memory before the first execution: descriptors, programs, tables of activation functions.
void write_image(Machine& machine, const Image& image);
void write_descriptors(Machine& machine, const Image& image);

// The steps before a run: registers of rings, programs and rounding; then the start of the engines that have a
// program.
void set_up(Machine& machine, const Image& image, const Rounding& rounding);
void start(Machine& machine, const Image& image);

// What an execution that was saved has been given, on all of its cores.
Rounding rounding_of(const checkpoint::SystemState& state);

// Instructions of all engines.
std::uint64_t completed(const tlm::Statistics& statistics);

// Whether a read of HBM met a word with more than one wrong bit, and the status of a core that stopped for an error.
bool hbm_uncorrected(const Figures& figures);
Status status_of_core_error(Machine& machine, unsigned core, bool hbm_uncorrected);

// All of an execution. `observer` is what the machine reports to; `log` gets the records of the notification
// queue and is needed if the image has one. The outputs stay in memory.
Result run_image(Machine& machine, const neff::Package& package, const Image& image, const Rounding& rounding,
                 const ExecutionLimits& limits, const Observer& observer, const ProgressFunction& progress,
                 NotificationLog* log, const Checkpoints& checkpoints = {});

}  // namespace trnsim::runtime
