// Kernels on the cores of a simulated server at the same time, one for each rank.
//
//     runtime::ServerSession session(tlm::load_server("trn1-4"), 8);
//     session.load(package);
//     const runtime::ServerResult result = session.execute(inputs);   // by rank
//
// Rank r is the r-th core of the server: of the slots that its file does not leave empty, chip by chip. Slots behind
// the last rank stay empty. Every execution starts from the same state of cores and DMA engines. A call that cannot be
// served throws Error with a Status and changes nothing; an execution that goes wrong is a ServerResult with its
// Status, and the session goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/config/server.hpp"
#include "model/system/linked_server.hpp"
#include "runtime/loader/allocator.hpp"
#include "runtime/session/collectives.hpp"
#include "runtime/session/contents.hpp"
#include "runtime/session/core_observers.hpp"
#include "runtime/session/error.hpp"
#include "runtime/session/figures.hpp"
#include "runtime/session/relay.hpp"
#include "runtime/session/result.hpp"

namespace trnsim::runtime {

struct ServerExecuteOptions {
    Rounding rounding{};                   // of all ranks
    std::uint64_t max_time = 0;            // fs of simulated time after which it is stopped; 0: none
    tlm::trace::Sink* listener = nullptr;  // gets what chips and links that are here do meanwhile
    // Of all ranks that are here, cycles of the one with the most. In several processes a false ends the run of each of
    // them with a SimulationError.
    ProgressFunction progress{};
    // As of ExecuteOptions. A state has the inputs, which are not looked at where the execution goes on from one. Switched are the ranks
    // whose slots are RTL, of a session that was made for it.
    Checkpoints checkpoints{};
};

struct RankResult {
    addresses::CoreId core;
    bool here = true;                   // in this process; else nothing of what follows is known
    Fidelity fidelity = Fidelity::Rtl;  // at the end
    tlm::CoreInfo info;                 // what it was made from
    Figures figures;                    // of the time until the last rank's end
    std::vector<std::string> printed;   // by GpSimd cores
    Arrays outputs;                     // by name; empty unless all are done
};

struct ServerResult {
    tlm::Outcome outcome = tlm::Outcome::Done;
    Status status = Status::Success;
    std::string message;  // what went wrong, with the rank; empty when done
    // fs, from the start of the first rank to the end of the last, which is seen up to a latency of the links later.
    std::uint64_t time = 0;
    Rounding rounding;
    std::optional<CheckpointTimes> checkpoint{};  // where the run came to it
    std::optional<std::uint64_t> resumed{};       // fs of simulated time from which on it has gone on
    std::vector<RankResult> ranks;

    bool done() const { return outcome == tlm::Outcome::Done; }
    // Of a rank alone, without its outputs: for to_json().
    Result of(std::uint32_t rank) const;
};

// The server with a core for each rank and no others. A server that has no core, as those that are shipped, gets fast
// ones in all of its slots before; ranks have the first of its cores, chip by chip, all of them unless their number is
// given. `rtl_ranks` are RTL whatever stands in their slots. Throws Error for more ranks than cores and for one of
// rtl_ranks that there is not.
config::Server for_ranks(config::Server server, std::optional<std::uint32_t> ranks,
                         std::span<const std::uint32_t> rtl_ranks = {});

class ServerSession {
  public:
    // Makes the server; one a process. `exchange`: with other processes, each of which makes the same session, calls
    // the same functions of it with the same arguments, and has the ranks of some of its chips; they execute once.
    // `ranks`: as many as the server has cores unless it is given. `perturb`: a seed of delays and stalls everywhere.
    // `switches`: ranks whose slots are RTL begin on fast cores, from which a checkpoint may switch them.
    // Throws Error when the server has fewer cores than ranks, std::runtime_error when there is no verilated core for
    // its configuration and a rank's slot is of that kind, std::invalid_argument when that is so in several processes.
    explicit ServerSession(const config::Server& server, std::optional<std::uint32_t> ranks = {},
                           tlm::processes::Exchange* exchange = nullptr, tlm::perturb::Seed perturb = {},
                           bool switches = false);
    ServerSession(const ServerSession&) = delete;
    ServerSession& operator=(const ServerSession&) = delete;
    ~ServerSession();

    std::uint32_t ranks() const { return static_cast<std::uint32_t>(cores_.size()); }
    addresses::CoreId core(std::uint32_t rank) const { return cores_.at(rank); }
    bool here(std::uint32_t rank) const { return server_.here(core(rank).chip); }
    // What each process gives, by process.
    std::vector<std::string> texts(const std::string& own) { return server_.texts(own); }
    const config::Server& server() const { return server_.description(); }
    tlm::LinkedServer& linked_server() { return server_; }

    // A package for each rank, or one for all of them. They take the place of those before. Collectives of theirs are
    // those of all ranks: all packages have the same ones in the same order.
    void load(std::span<const std::shared_ptr<const neff::Package>> packages);
    void load(const std::shared_ptr<const neff::Package>& package);

    // What is loaded.
    const neff::Package& package(std::uint32_t rank) const;
    // Collectives of the kernels that are loaded.
    const Collectives& collectives() const { return *collectives_; }

    // `inputs`: by rank.
    ServerResult execute(std::span<const Arrays> inputs, const ServerExecuteOptions& options = {});

  private:
    class Core;    // a rank's, as a machine
    struct Model;  // what it executes
    struct Whole;  // all of them, for a checkpoint

    bool is_rtl(std::uint32_t rank) const;
    checkpoint::Identity identity() const;
    void begin(const std::vector<Contents>& contents, const ServerExecuteOptions& options);
    void set_up(const std::vector<Contents>& contents, const Rounding& rounding);
    Progress progress(const std::vector<tlm::Statistics>& before) const;
    tlm::RunResult run(const std::vector<tlm::Statistics>& before, CoreObservers& observers,
                       const ServerExecuteOptions& options, ServerResult& result);
    // `stopped`: by rank, of this process's.
    std::string diagnose(const tlm::RunResult& run, std::uint64_t max_time, const std::vector<bool>& stopped);
    std::string diagnose(tlm::Outcome outcome, std::uint32_t rank, bool stopped);
    Status status_of(const tlm::RunResult& run, std::uint64_t max_time, const std::vector<RankResult>& ranks,
                     const std::vector<bool>& stopped);
    Status status_of_stopped(const std::vector<bool>& stopped, bool uncorrected);

    std::vector<addresses::CoreId> cores_;
    Relay relay_;
    tlm::LinkedServer server_;
    std::vector<std::unique_ptr<Core>> machines_;
    std::vector<loader::Allocator> hbm_;  // of each chip
    std::vector<std::unique_ptr<Model>> models_;
    std::unique_ptr<Collectives> collectives_;  // of the models
    Collectives::Writes writes_;                // that the collective cores are to make
    bool several_;                              // processes
    bool switches_;                             // and has not yet
    bool fresh_ = true;                         // nothing has run yet
    tlm::perturb::Seed perturb_;
};

}  // namespace trnsim::runtime
