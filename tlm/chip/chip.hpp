// One NeuronCore with its HBM, DMA engines and fabric, and what a host needs to drive them.
//
//                       +--> HBM stacks
//     host, core, DMA --+--> core window      (fabric)
//                       +--> DMA registers
//
// Use: build one Chip (SystemC allows modules only before the simulation starts, so one a process), fill
// memory through the back door, write ring and core registers with write32(), run(), read back. All calls
// come from outside SystemC processes. Times are femtoseconds; addresses are system addresses
// (docs/architecture.md).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

#include "lib/config/config.hpp"
#include "tlm/chip/statistics.hpp"
#include "tlm/contents/random_contents.hpp"
#include "tlm/core/core.hpp"
#include "tlm/perturb/perturb.hpp"
#include "tlm/trace/sink.hpp"

namespace trnsim::tlm::chip {

// An access that was refused or never answered; what() names the address.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Options {
    trace::Sink* sink = nullptr;     // must outlive the chip
    bool check_protocol = false;     // puts a base-protocol checker on every socket
    perturb::Seed perturb{};         // of delays and stalls everywhere (tlm/perturb)
    contents::Seed random_memory{};  // of what HBM, SBUF and PSUM hold at first; none: zeros
};

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

class Chip : public sc_core::sc_module {
  public:
    // `core` makes one of this configuration. Sets SystemC's time resolution to 1 fs.
    Chip(const sc_core::sc_module_name& name, const config::Config& config, const CoreFactory& core,
         Options options = {});
    ~Chip() override;

    // Timed access to an aligned 32-bit register or word; returns when the response is there. Throws Error.
    void write32(std::uint64_t address, std::uint32_t value);
    std::uint32_t read32(std::uint64_t address);

    // Back door: no time passes. HBM, SBUF and PSUM; an access stays in one stack or partition. Throws Error.
    void write(std::uint64_t address, std::span<const std::uint8_t> data);
    void read(std::uint64_t address, std::span<std::uint8_t> data);

    // Runs until the outcome is clear. `limit`: simulated time to stop after at the latest, 0 for none.
    RunResult run(std::uint64_t limit = 0);

    // Makes core and DMA engines what they were at first: no semaphore counted, no ring set up, no error.
    // HBM, SBUF and PSUM keep what they hold. Whatever goes on is ended; simulated time passes until accesses
    // under way are answered and until the clock of the core stands to femtoseconds as it did at time 0, so
    // that what happens from then on takes the same cycles as it would have then. Throws Error when an access
    // is not answered within runtime.timeout.
    void reset();

    // Lets `duration` pass.
    void advance(std::uint64_t duration);

    std::uint64_t time() const;  // fs
    CoreInfo core_info() const;
    Statistics statistics() const;

    // Ends a recording before its last cycle, if there is one. Returns why the file is not whole; empty: it
    // is.
    std::string close_wave();
    // Waveform of the core cycles [first, last) to an FST file; scopes as in Core::record_wave().
    void record_wave(const std::string& path, std::span<const std::string> scopes,
                     std::uint64_t first_cycle = 0, std::uint64_t last_cycle = ~std::uint64_t{0});

    // What the checkers found, one line each; always empty without Options::check_protocol.
    std::vector<std::string> protocol_violations() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace trnsim::tlm::chip
