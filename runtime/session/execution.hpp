// One execution of packages whose images are in memory, one for each rank of a device: it sets up rings,
// programs and rounding, starts the engines, runs to the end and finds the reason of a failure.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "arch/config/config.hpp"
#include "runtime/session/device.hpp"
#include "runtime/session/observer.hpp"
#include "runtime/session/result.hpp"

namespace trnsim::runtime {

class Execution {
  public:
    // Returns the observer of the core of a rank.
    using ObserverOf = std::function<const Observer&(std::uint32_t rank)>;

    // `ranks` has the package of each rank. `names_ranks`: messages name ranks. Everything must outlive the
    // execution.
    Execution(Device& device, std::span<const LoadedPackage> ranks, const config::Config& config,
              const Run& run, ObserverOf observer_of, bool names_ranks);
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;
    ~Execution();

    // Does all of it; the outputs stay in memory. `begin` starts the engines of all ranks, or continues from
    // the state of the run; in that case nothing is set up before. `finished` is called when the run has
    // ended, before the registers with the reason are read.
    Results run(const std::function<void()>& begin, const std::function<void(Results&)>& finished);

  private:
    struct Rank;

    std::uint32_t count() const { return static_cast<std::uint32_t>(ranks_.size()); }
    void set_up();
    tlm::RunResult simulate(Results& results);
    std::optional<tlm::RunResult> take_checkpoint(std::optional<CheckpointTimes>& times);
    bool watch();
    void look();
    std::uint64_t passed() const { return device_.time() - begun_; }  // fs
    bool is_stopped(const tlm::RunResult& run) const;
    std::uint64_t sum(std::uint64_t own);
    void read_figures(Results& results);
    Status status_of(const tlm::RunResult& run, const Results& results);
    Status status_of_stopped(bool uncorrected);
    std::string diagnose(tlm::Outcome outcome, const Rank& rank);
    std::string diagnose(const tlm::RunResult& run);
    std::string first_of(const tlm::RunResult& run, std::string text);

    Device& device_;
    const config::Config& config_;
    const Run& run_;
    bool names_ranks_;
    std::vector<std::unique_ptr<Rank>> ranks_;  // null: in another process
    std::uint64_t begun_ = 0, time_ = 0;        // fs of simulated time: when it began, how long it took
    double shown_ = 0;                          // s of wall time of the last progress call
    Progress now_;
    std::chrono::steady_clock::time_point wall_;
    std::uint64_t moved_ = 0;  // bytes
    std::uint64_t alive_ = 0;  // instructions completed at the last effect outside the sequencers
    bool drains_ = false;      // there are notification queues
    bool spinning_ = false;
};

}  // namespace trnsim::runtime
