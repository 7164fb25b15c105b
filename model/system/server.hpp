// A simulated server and its host: chips in one simulation, controlled from outside SystemC's processes.
//
// Use: build one Server (SystemC elaborates once, so one in each process), bind the links of linked chips,
// fill memory through the back door, write ring and core registers with write32(), run(), read back. Times
// are femtoseconds; addresses are system addresses of the named chip (docs/architecture.md).
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

// A chip of a server, known by Options::number. The server sets Options::on_stop itself.
struct ChipSetup {
    chip::Slots slots;
    chip::Options options;
};

class Server {
  public:
    // Makes chips of this configuration. `part`: other chips of the server are in other processes; there is
    // then no timed access before leave(), no run() and no reset(). Throws std::invalid_argument if two have
    // the same number, and as chip::Chip does.
    Server(const config::Config& config, std::vector<ChipSetup> chips, bool part = false);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    // Returns the chip of this number. Throws std::out_of_range if there is none, as all calls that name a
    // chip do.
    chip::Chip& chip(unsigned number);
    const chip::Chip& chip(unsigned number) const;
    std::size_t chips() const { return nodes_.size(); }

    // Make a timed access to an aligned 32-bit register or word; return when the response has come. Throw
    // SimulationError.
    void write32(unsigned chip, std::uint64_t address, std::uint32_t value);
    std::uint32_t read32(unsigned chip, std::uint64_t address);

    // From now on it does not matter what the other processes do. In a part, time passes here alone, and
    // chips may wait in vain for those of others.
    void leave() { left_ = true; }

    // Access HBM, SBUF or PSUM through the back door: no time passes. An access stays in one stack or
    // partition. Throw SimulationError.
    void write(unsigned chip, std::uint64_t address, std::span<const std::uint8_t> data);
    void read(unsigned chip, std::uint64_t address, std::span<std::uint8_t> data);

    // Runs until the outcome is clear: the first error of any chip, or the end of all work. `limit`: longest
    // simulated time, 0 for none.
    RunResult run(std::uint64_t limit = 0);

    // Puts cores and DMA engines of all chips back into their first state: no semaphore counted, no ring set
    // up, no error. HBM, SBUF and PSUM keep their contents. Everything under way is ended; simulated time
    // passes until accesses under way are answered and until the core clock is aligned to femtoseconds as at
    // time 0, so that what happens afterwards takes the same cycles as it would have then. Throws
    // SimulationError if an access is not answered within runtime.timeout.
    void reset();

    // Lets cores begin nothing more and everything under way end. Returns nothing if all chips are quiescent,
    // which they stay until resume(); otherwise the error that came up meanwhile. Throws SimulationError if
    // something does not end within runtime.timeout.
    std::optional<RunResult> quiesce();
    void resume();
    // The same in steps, for a part as well: hold(), then let time pass until all chips are quiescent at
    // once.
    void hold();
    bool quiescent() const { return all(&chip::Chip::quiescent); }
    // Save and load the chips of this process, while they are quiescent, and the time. load() needs a server
    // on which nothing has run, and goes on to that time. Both throw checkpoint::Error.
    void save(checkpoint::SystemState& state);
    void load(const checkpoint::SystemState& state);

    // Lets `duration` pass.
    void advance(std::uint64_t duration);
    // True if no core runs; collective cores may.
    bool clocks_rest() const;
    // Lets time pass one chip after the other where that can be (protocol::Alarm::ring_by_chips): in this time
    // no chip can affect another.
    void advance_by_chips(std::uint64_t duration);

    // The current state, and one line about the current activity, for callers that run the chips step by
    // step.
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
    std::optional<Reply> reply_;  // reply to the host, which has one access under way at a time
    protocol::PayloadPool pool_;
    std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace trnsim::tlm
