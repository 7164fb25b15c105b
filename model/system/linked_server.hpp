// A server with its links, made from a description: chips, the cores in their slots, and the network between
// the chips. They are all in one process, or each of several processes has a group of chips
// (docs/processes.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/config/server.hpp"
#include "model/neuronlink/network.hpp"
#include "model/protocol/alarm.hpp"
#include "model/system/fault_schedule.hpp"
#include "model/system/other_chips.hpp"
#include "model/system/server.hpp"

namespace trnsim::tlm {

struct LinkedOptions {
    CoreFactory rtl{};               // makes a core of the kind `rtl` for each slot with one
    CoreFactory fast{};              // makes a core of the kind `fast`
    bool check_protocol = false;     // base-protocol checkers on all sockets of the chips
    bool collectives = false;        // chips have collective cores (model/collectives)
    perturb::Seed perturb{};         // seed of delays and stalls everywhere
    contents::Seed random_memory{};  // seed of the first contents of HBM; none: zeros
    trace::Sink* sink = nullptr;     // gets the events of this process; must outlive the server
    // The exchange of several processes, each of which makes the same server and calls the same functions of
    // it that concern all chips: run(), quiesce(), save(), largest(), sum(), texts(). Null: one process.
    processes::Exchange* exchange = nullptr;
};

class LinkedServer {
  public:
    // One object for each process. Throws std::invalid_argument for a slot of a kind that the options have no
    // core of, for one of kind `rtl` in several processes, for more processes than chips, and as Server,
    // neuronlink::Network and FaultSchedule do.
    explicit LinkedServer(const config::Server& description, const LinkedOptions& options = {});

    const config::Server& description() const { return description_; }
    // These have the chips of this process; with several processes links cannot be cut.
    Server& server() { return server_; }
    neuronlink::Network& network() { return network_; }
    // Returns whether this process has the chip.
    bool here(unsigned chip) const { return !others_.has(chip); }
    // Returns whether this process has all chips.
    bool whole() const { return !others_.any(); }

    // Runs until the outcome is clear. It checks each time the latency of the links has passed: the time in
    // which no chip can affect another. `limit` is as in Server::run(). If a request was lost between chips,
    // the message ends with the first report of the links, which says why. `watch` is called whenever the
    // latency has passed; when it returns false, in any process, the run ends with Outcome::TimeLimit.
    RunResult run(std::uint64_t limit = 0, const std::function<bool()>& watch = {});

    // Resets as Server::reset() does. After a lost request it waits for what is still on its way, and forgets
    // the links' reports.
    void reset();

    // Work as those of Server, in windows as run() does, until nothing is on the links either. save() gives
    // the chips of all processes in the first process and the own chips in the others; load() takes the own
    // chips.
    std::optional<RunResult> quiesce(const std::function<bool()>& watch = {});
    void resume();
    void save(checkpoint::SystemState& state);
    void load(const checkpoint::SystemState& state);

    // Returns "; links: " and the first report of the links in all processes; empty: there is none.
    std::string first_report();

    // Called after the last run: each of several processes goes on alone, so that it can read registers of
    // its own chips.
    void leave();

    // Return the largest value and the sum over all processes.
    std::uint64_t largest(std::uint64_t own);
    std::uint64_t sum(std::uint64_t own);
    // Return the values of each process, by rank.
    std::vector<std::uint64_t> numbers(std::uint64_t own) { return others_.numbers(own); }
    std::vector<std::string> texts(const std::string& own) { return others_.texts(own); }
    // Returns the texts of all processes in the first process, nothing in the others.
    std::vector<std::string> gather(const std::string& own) { return others_.gather(own); }

  private:
    Standing meet(const std::string& fault, bool goes_on);
    Standing pass(Time window, const std::function<bool()>& watch);
    std::string state();

    config::Server description_;
    OtherChips others_;
    Server server_;
    neuronlink::Network network_;
    FaultSchedule faults_;
    Progress progress_;
    bool traced_;
    bool held_ = false;            // held for a checkpoint
    protocol::Alarm edge_{[] {}};  // the end of the window
};

}  // namespace trnsim::tlm
