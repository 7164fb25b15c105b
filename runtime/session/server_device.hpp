// Cores of a simulated server as a session's device, one for each rank. A process can have one
// (model/system/server.hpp).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include "model/system/linked_server.hpp"
#include "runtime/session/core_wave.hpp"
#include "runtime/session/machine_factory.hpp"
#include "runtime/session/upsets.hpp"

namespace trnsim::runtime {

class ServerDevice : public Device {
  public:
    // Register writes of a collective core of a chip, by chip.
    using Writes = std::map<unsigned, std::vector<tlm::collectives::RegisterWrite>>;

    // Makes a core for each rank, rank r on cores[r], and no others. The options fidelity and core have no
    // effect: slots define the kind of a core. Throws std::runtime_error when there is no verilated core for
    // the configuration and a rank's slot needs one, std::invalid_argument when that happens in several
    // processes.
    ServerDevice(const config::Server& description, std::vector<addresses::CoreId> cores,
                 const MachineOptions& options);
    ~ServerDevice() override;

    tlm::LinkedServer& server() { return server_; }

    std::uint32_t ranks() const override { return static_cast<std::uint32_t>(cores_.size()); }
    CoreAccess& core(std::uint32_t rank) override;

    // Throws Error at a second execution in several processes, which can execute only once.
    void reset() override;
    void record_wave(const WaveRequest& request) override;
    std::string close_wave() override { return wave_.close(); }
    // From reset() to the start, a collective core of each chip makes the register writes, all since the last
    // time at once: a host cannot write registers of a server in several processes.
    void settle() override;
    Writes take_writes();
    void before_start() override { wave_.start(); }
    tlm::RunResult simulate(std::uint64_t limit, std::uint64_t longest, const Watch& watch) override;
    std::uint64_t time() const override { return tlm::now(); }

    std::optional<tlm::RunResult> quiesce(const Watch& watch) override { return server_.quiesce(watch); }
    void resume() override { server_.resume(); }
    void save(checkpoint::SystemState& state) override { server_.save(state); }
    void load(const checkpoint::SystemState& state) override;
    // Switches the ranks whose slots are RTL.
    void switch_model() override;

    tlm::perturb::Seed perturbed() const override { return options_.perturb; }
    tlm::contents::Seed random_memory() const override { return options_.random_memory; }

    bool whole() const override { return server_.whole(); }
    bool leads() const override { return server_.here(0); }
    bool here(std::uint32_t rank) const override { return server_.here(cores_.at(rank).chip); }
    void leave() override { server_.leave(); }
    std::vector<std::uint64_t> numbers(std::uint64_t own) override { return server_.numbers(own); }
    std::vector<std::string> texts(const std::string& own) override { return server_.texts(own); }
    std::size_t lost_requests() const override;
    std::string first_report() override { return server_.first_report(); }

  private:
    class Core;  // core of a rank

    bool in_rtl_slot(std::uint32_t rank) const;
    Fidelity fidelity_of(std::uint32_t rank) const;
    void upset();

    MachineOptions options_;
    std::vector<addresses::CoreId> cores_;
    tlm::LinkedServer server_;
    std::vector<std::unique_ptr<Core>> access_;
    bool switches_;         // switches models, and has not yet
    bool fresh_ = true;     // nothing has been executed yet
    bool collects_ = true;  // collects register writes
    Writes writes_;
    CoreWave wave_;
    struct Upset {
        std::uint32_t rank;
        Upsets upsets;
        std::uint64_t next = 0;  // fs
    };
    std::vector<Upset> upsets_;
};

}  // namespace trnsim::runtime
