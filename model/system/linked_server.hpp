// A server with its links, as a description says: chips, what stands in their slots, and the network between
// them. All in one process, or a group of chips in each of several (docs/processes.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/config/server.hpp"
#include "model/neuronlink/network.hpp"
#include "model/protocol/alarm.hpp"
#include "model/system/other_chips.hpp"
#include "model/system/server.hpp"

namespace trnsim::tlm {

struct LinkedOptions {
    CoreFactory rtl{};               // makes a core of the kind `rtl`, for each slot that has one
    CoreFactory fast{};              // the same of the kind `fast`
    bool check_protocol = false;     // base-protocol checkers on all sockets of the chips
    bool collectives = false;        // chips have collective cores (model/collectives)
    perturb::Seed perturb{};         // of delays and stalls everywhere
    contents::Seed random_memory{};  // of what HBM holds at first; none: zeros
    trace::Sink* sink = nullptr;     // gets what chips and links that are here do; must outlive the server
    // Several processes, each of which makes the same server and calls the same functions of it that concern all
    // chips: run(), quiesce(), save(), largest(), sum(), texts(). None: one process.
    processes::Exchange* exchange = nullptr;
};

class LinkedServer {
  public:
    // One a process. Throws std::invalid_argument for a slot of a kind that the options have no core of, for one of
    // kind `rtl` in several processes, for more processes than chips, and as Server and neuronlink::Network do.
    explicit LinkedServer(const config::Server& description, const LinkedOptions& options = {});

    const config::Server& description() const { return description_; }
    // Of several processes each has its own chips there; links are not cut.
    Server& server() { return server_; }
    neuronlink::Network& network() { return network_; }
    // This process has the chip.
    bool here(unsigned chip) const { return !others_.has(chip); }
    // It has all of them.
    bool whole() const { return !others_.any(); }

    // Runs until the outcome is clear, which is looked at when the latency of the links has passed once more: the
    // time in which no chip can concern another. `limit` as in Server::run(). Where a request was lost between
    // chips, the message ends with the first report of the links, which says why. `watch`: called whenever the latency
    // has passed; when it returns false, in any process, the run ends with Outcome::TimeLimit.
    RunResult run(std::uint64_t limit = 0, const std::function<bool()>& watch = {});

    // As Server::reset(). After a lost request it waits for what is still on its way, and forgets the links' reports.
    void reset();

    // As those of Server, in windows as run() is, until nothing is on the links either. save() gives the chips of all processes in the
    // first one, those that are there in the others; load() takes those that are there.
    std::optional<RunResult> quiesce(const std::function<bool()>& watch = {});
    void resume();
    void save(checkpoint::SystemState& state);
    void load(const checkpoint::SystemState& state);

    // "; links: " and the first report of the links; empty: there is none. Over all processes.
    std::string first_report();

    // After the last run: of several processes each goes on alone, so that registers of the chips it has can be read.
    void leave();

    // Over all processes.
    std::uint64_t largest(std::uint64_t own);
    std::uint64_t sum(std::uint64_t own);
    // Of each process, by rank.
    std::vector<std::uint64_t> numbers(std::uint64_t own) { return others_.numbers(own); }
    std::vector<std::string> texts(const std::string& own) { return others_.texts(own); }
    // The same in the first process, nothing in the others.
    std::vector<std::string> gather(const std::string& own) { return others_.gather(own); }

  private:
    Standing meet(const std::string& fault, bool goes_on);
    Standing pass(Time window, const std::function<bool()>& watch = {});
    std::string state();

    config::Server description_;
    OtherChips others_;
    Server server_;
    neuronlink::Network network_;
    Progress progress_;
    bool held_ = false;            // for a checkpoint
    protocol::Alarm edge_{[] {}};  // the end of the window
};

}  // namespace trnsim::tlm
