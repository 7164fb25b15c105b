// A simulated system and its host: what drives a chip from outside SystemC's processes.
//
// Use: build one System (SystemC elaborates once, so one a process), fill memory through the back door, write
// ring and core registers with write32(), run(), read back. Times are femtoseconds; addresses are system
// addresses (docs/architecture.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tlm/chip/chip.hpp"
#include "tlm/simulation/simulation.hpp"

namespace trnsim::tlm {

enum class Outcome {
    Done,       // every started engine halted and the DMA engines are idle
    CoreError,  // the core raised its error pin; details are in its error registers
    DmaError,   // a DMA engine stopped
    Hang,       // nothing happened for runtime.timeout, or nothing can happen any more
    TimeLimit,  // `limit` of run() passed
};

struct RunResult {
    Outcome outcome;
    std::string message;       // one line, empty for Done
    std::uint64_t start, end;  // fs
};

class System {
  public:
    // `make_core` makes a core of this configuration. Options::on_stop is the system's own.
    System(const config::Config& config, const CoreFactory& make_core, chip::Options options = {});
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    chip::Chip& chip() { return chip_; }
    const chip::Chip& chip() const { return chip_; }

    // Timed access to an aligned 32-bit register or word; returns when the response is there. Throws
    // SimulationError.
    void write32(std::uint64_t address, std::uint32_t value);
    std::uint32_t read32(std::uint64_t address);

    // Back door: no time passes. HBM, SBUF and PSUM; an access stays in one stack or partition. Throws
    // SimulationError.
    void write(std::uint64_t address, std::span<const std::uint8_t> data);
    void read(std::uint64_t address, std::span<std::uint8_t> data);

    // Runs until the outcome is clear. `limit`: simulated time to stop after at the latest, 0 for none.
    RunResult run(std::uint64_t limit = 0);

    // Makes core and DMA engines what they were at first: no semaphore counted, no ring set up, no error.
    // HBM, SBUF and PSUM keep what they hold. Whatever goes on is ended; simulated time passes until accesses
    // under way are answered and until the clock of the core stands to femtoseconds as it did at time 0, so
    // that what happens from then on takes the same cycles as it would have then. Throws SimulationError when
    // an access is not answered within runtime.timeout.
    void reset();

    // Lets `duration` pass.
    void advance(std::uint64_t duration);

  private:
    struct Reply {
        Response status;
        std::string text;
        std::uint32_t value;
        Time at;
    };

    // A port stands in a module.
    struct Host : sc_core::sc_module {
        Host(const sc_core::sc_module_name& name, protocol::InitiatorPort::OnResponse on_response)
            : sc_module(name), port("port", std::move(on_response)) {}
        protocol::InitiatorPort port;
    };

    void elaborate();
    void fill_core(const contents::RandomContents& random);
    std::uint32_t access(::tlm::tlm_command command, std::uint64_t address, std::uint32_t value);
    void debug(::tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, std::size_t length);
    void await(const std::function<bool()>& condition);
    bool alive();

    config::Config config_;
    contents::Seed random_memory_;
    Simulation simulation_;
    std::optional<Reply> reply_;
    protocol::PayloadPool pool_;
    Host host_;
    chip::Chip chip_;
    std::uint64_t last_progress_ = 0;
    Time moved_ = 0;  // when there last was progress
};

}  // namespace trnsim::tlm
