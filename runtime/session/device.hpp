// The device of a session: the cores of a simulated chip or server, one for each rank, or a stand-in for
// them.
//
// Addresses are system addresses, times are in femtoseconds. Refused accesses throw tlm::SimulationError.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "arch/checkpoint/system_state.hpp"
#include "model/chip/statistics.hpp"
#include "model/contents/random_contents.hpp"
#include "model/core/info.hpp"
#include "model/perturb/perturb.hpp"
#include "model/system/outcome.hpp"
#include "runtime/session/fidelity.hpp"

namespace trnsim::runtime {

// Records core cycles [first, last) to an FST file; without scopes it takes the default set. Cycles count
// from the beginning of simulated time, as the time stamps of waveforms and traces do, or from the moment the
// first engine starts.
struct WaveRequest {
    std::string path;
    std::vector<std::string> scopes;
    std::uint64_t first_cycle = 0;
    std::uint64_t last_cycle = std::numeric_limits<std::uint64_t>::max();
    bool from_start = false;
    bool dram = false;       // the device's sink gets the commands of HBM meanwhile
    std::uint32_t rank = 0;  // rank of the recorded core
};

// A core with its DMA engines and the memory of its chip, from the point of view of a driver.
class CoreAccess {
  public:
    virtual ~CoreAccess() = default;

    // Timed access to a 32-bit register.
    virtual void write32(std::uint64_t address, std::uint32_t value) = 0;
    virtual std::uint32_t read32(std::uint64_t address) = 0;

    // Back door into HBM: no time passes.
    virtual void write(std::uint64_t address, std::span<const std::uint8_t> data) = 0;
    virtual void read(std::uint64_t address, std::span<std::uint8_t> data) = 0;

    // Clears bytes of HBM through the back door. Where the memory of the device takes none of the host's for
    // bytes that were never written, they are such bytes then.
    virtual void forget(std::uint64_t address, std::uint64_t bytes);

    virtual tlm::Statistics statistics() const = 0;

    // Returns the properties of the core's build.
    virtual tlm::CoreInfo core_info() const { return {}; }
    virtual Fidelity fidelity() const { return Fidelity::Rtl; }

    // Returns whether the core or one of its DMA engines has failed in a run with this outcome. No time
    // passes.
    virtual bool stopped_by(tlm::Outcome) const { return true; }
};

// Called from time to time while the simulation runs; false ends it.
using Watch = std::function<bool()>;

class Device {
  public:
    virtual ~Device() = default;

    virtual std::uint32_t ranks() const = 0;
    virtual CoreAccess& core(std::uint32_t rank) = 0;

    // Call it before an execution: it resets cores and DMA engines. Memories keep their contents. The same
    // writes and the same start then take the same cycles, independently of earlier executions.
    virtual void reset() {}

    // Records from now on, until close_wave(). Throws std::runtime_error when the file cannot be made, a
    // scope is unknown or HBM gives no commands.
    virtual void record_wave(const WaveRequest&) {}
    // Ends a recording, if there is one. Returns the reason for which its file is incomplete; empty: it is
    // complete.
    virtual std::string close_wave() { return {}; }

    // Makes collected register writes take effect, in no order.
    virtual void settle() {}
    // Called when everything is loaded, before the first engine starts.
    virtual void before_start() {}

    // Runs until the outcome is known or, if not 0, `limit` has passed. `watch` is called at least once in
    // `longest` of simulated time and about once in ProgressSeconds of wall time; when it returns false the
    // run ends with Outcome::TimeLimit.
    virtual tlm::RunResult simulate(std::uint64_t limit, std::uint64_t longest, const Watch& watch) = 0;

    virtual std::uint64_t time() const = 0;  // fs of simulated time

    // Checkpoints, as in tlm::Server. After switch_model() the cores continue with their other model.
    virtual std::optional<tlm::RunResult> quiesce(const Watch&) {
        throw checkpoint::Error("this machine has no checkpoints");
    }
    virtual void resume() {}
    virtual void save(checkpoint::SystemState&) {
        throw checkpoint::Error("this machine has no checkpoints");
    }
    virtual void load(const checkpoint::SystemState&) {
        throw checkpoint::Error("this machine has no checkpoints");
    }
    virtual void switch_model() { throw checkpoint::Error("this machine has one model of its core"); }

    // Returns the seed of random delays and stalls; nullopt: nothing is perturbed.
    virtual tlm::perturb::Seed perturbed() const { return {}; }
    // Returns the seed of the initial contents of the memories; nullopt: zeros.
    virtual tlm::contents::Seed random_memory() const { return {}; }

    // In several processes, each has some of the ranks, and all call the same functions in the same order.
    virtual bool whole() const { return true; }              // there is one process
    virtual bool leads() const { return true; }              // this is the first of them
    virtual bool here(std::uint32_t) const { return true; }  // the rank is in this process
    // Call it after the last run: each process continues alone, so that registers of its cores can be read.
    virtual void leave() {}
    // Gives the value of this process to all others and returns those of all, by their numbers.
    virtual std::vector<std::uint64_t> numbers(std::uint64_t own) { return {own}; }
    virtual std::vector<std::string> texts(const std::string& own) { return {own}; }

    // Return the requests between chips that were lost here, and "; links: " with the first report of them
    // over all processes.
    virtual std::size_t lost_requests() const { return 0; }
    virtual std::string first_report() { return {}; }
};

}  // namespace trnsim::runtime
