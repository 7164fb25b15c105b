// A simulated server and its host: chips in one simulation, and what drives them from outside SystemC's
// processes.
//
// Use: build one Server (SystemC elaborates once, so one a process), bind the links of chips that have some,
// fill memory through the back door, write ring and core registers with write32(), run(), read back. Times are
// femtoseconds; addresses are system addresses of the chip that is named (docs/architecture.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/chip/chip.hpp"
#include "model/simulation/simulation.hpp"
#include "model/system/course.hpp"

namespace trnsim::tlm {

// A chip of a server, which is known by Options::number. Options::on_stop is the server's own.
struct ChipSetup {
    chip::Slots slots;
    chip::Options options;
};

class Server {
  public:
    // Chips of this configuration. `part`: others of the server are in other processes; there is then no timed
    // access before leave(), no run() and no reset(). Throws std::invalid_argument when two have the same number, and as
    // chip::Chip does.
    Server(const config::Config& config, std::vector<ChipSetup> chips, bool part = false);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    // By number. Throws std::out_of_range when there is none, as all calls that name a chip do.
    chip::Chip& chip(unsigned number);
    const chip::Chip& chip(unsigned number) const;
    std::size_t chips() const { return nodes_.size(); }

    // Timed access to an aligned 32-bit register or word; returns when the response is there. Throws
    // SimulationError.
    void write32(unsigned chip, std::uint64_t address, std::uint32_t value);
    std::uint32_t read32(unsigned chip, std::uint64_t address);

    // What the other processes do plays no role any more. Of a part: time passes here alone from now on, and chips may
    // wait in vain for those of others.
    void leave() { left_ = true; }

    // Back door: no time passes. HBM, SBUF and PSUM; an access stays in one stack or partition. Throws
    // SimulationError.
    void write(unsigned chip, std::uint64_t address, std::span<const std::uint8_t> data);
    void read(unsigned chip, std::uint64_t address, std::span<std::uint8_t> data);

    // Runs until the outcome is clear: the first error of any chip, or the end of what all of them do.
    // `limit`: simulated time to stop after at the latest, 0 for none.
    RunResult run(std::uint64_t limit = 0);

    // Makes cores and DMA engines of all chips what they were at first: no semaphore counted, no ring set up,
    // no error. HBM, SBUF and PSUM keep what they hold. Whatever goes on is ended; simulated time passes until
    // accesses under way are answered and until the clock of the cores stands to femtoseconds as it did at
    // time 0, so that what happens from then on takes the same cycles as it would have then. Throws
    // SimulationError when an access is not answered within runtime.timeout.
    void reset();

    // Lets cores begin nothing more and everything under way end. Nothing: all chips are quiescent, and stay so until resume();
    // otherwise the error that came up meanwhile. Throws SimulationError when something does not end within runtime.timeout.
    std::optional<RunResult> quiesce();
    void resume();
    // The same step by step, of a part as well: hold(), then time until all chips are quiescent at once.
    void hold();
    bool quiescent() const { return all(&chip::Chip::quiescent); }
    // The chips that are here, while they are quiescent, and the time. load() is of a server on which nothing has run, and goes on to
    // that time. Both throw checkpoint::Error.
    void save(checkpoint::SystemState& state);
    void load(const checkpoint::SystemState& state);

    // Lets `duration` pass.
    void advance(std::uint64_t duration);

    // For whoever runs the chips step by step: how they stand now, and what they do, one line.
    Standing standing() const;
    std::string state() const;

  private:
    struct Node;  // a chip and the host's port to it
    struct Reply {
        Response status;
        std::string text;
        std::uint32_t value;
        Time at;
    };

    Node& node(unsigned number) const;
    std::string place(unsigned chip) const;
    void elaborate();
    void fill_core(const chip::Chip& chip, unsigned slot, contents::Seed seed);
    std::uint32_t access(unsigned chip, ::tlm::tlm_command command, std::uint64_t address,
                         std::uint32_t value);
    void debug(unsigned chip, ::tlm::tlm_command command, std::uint64_t address, std::uint8_t* data,
               std::size_t length);
    bool all(bool (chip::Chip::*holds)() const) const;
    bool any(bool (chip::Chip::*holds)() const) const;
    std::optional<Standing::Failure> error() const;
    void expect_whole(const char* what) const;
    void await(bool (chip::Chip::*holds)() const);

    config::Config config_;
    bool part_, left_ = false;
    Simulation simulation_;
    Progress progress_;
    std::optional<Reply> reply_;  // to the host, which has one access under way at a time
    protocol::PayloadPool pool_;
    std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace trnsim::tlm
