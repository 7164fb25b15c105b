// What the runtime needs of the system it drives: a simulated chip, or a stand-in for it.
//
// Addresses are system addresses, times femtoseconds. Accesses that are refused throw tlm::SimulationError.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/system/system.hpp"
#include "runtime/session/fidelity.hpp"

namespace trnsim::runtime {

// Core cycles [first, last) to an FST file; no scopes: the default set. Cycles count from the beginning of
// simulated time, as the time stamps of waveforms and traces do, or from the moment the first engine starts.
struct WaveRequest {
    std::string path;
    std::vector<std::string> scopes;
    std::uint64_t first_cycle = 0;
    std::uint64_t last_cycle = std::numeric_limits<std::uint64_t>::max();
    bool from_start = false;
    bool dram = false;  // the machine's sink gets the commands of HBM meanwhile
};

class Machine {
  public:
    virtual ~Machine() = default;

    // Timed access to a 32-bit register.
    virtual void write32(std::uint64_t address, std::uint32_t value) = 0;
    virtual std::uint32_t read32(std::uint64_t address) = 0;

    // Back door into HBM: no time passes.
    virtual void write(std::uint64_t address, std::span<const std::uint8_t> data) = 0;
    virtual void read(std::uint64_t address, std::span<std::uint8_t> data) = 0;

    // Before an execution: makes core and DMA engines what they were at first. What memories hold stays. The
    // same writes and the same start then take the same cycles, whatever ran before.
    virtual void reset() {}

    // Of the time to come, until close_wave(). Throws std::runtime_error when the file cannot be made, a scope is
    // unknown or HBM gives no commands.
    virtual void record_wave(const WaveRequest&) {}

    // Called when all is loaded, before the first engine starts.
    virtual void before_start() {}

    // Runs until the outcome is clear or, if not 0, `limit` has passed.
    virtual tlm::RunResult run(std::uint64_t limit) = 0;

    // Checkpoints, as tlm::Server has them. switch_model(): the core goes on with the other model that the machine was made with.
    virtual std::optional<tlm::RunResult> quiesce() {
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

    virtual tlm::Statistics statistics() const = 0;
    std::uint64_t time() const { return statistics().time; }  // fs of simulated time

    // Ends a recording, if there is one. Returns why its file is not whole; empty: it is.
    virtual std::string close_wave() { return {}; }

    // What the core was made from.
    virtual tlm::CoreInfo core_info() const { return {}; }
    virtual Fidelity fidelity() const { return Fidelity::Rtl; }

    // Of random delays and stalls; none: nothing is perturbed.
    virtual tlm::perturb::Seed perturbed() const { return {}; }

    // Of what the memories held at first; none: zeros.
    virtual tlm::contents::Seed random_memory() const { return {}; }
};

}  // namespace trnsim::runtime
