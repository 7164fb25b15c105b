// A simulated system with one core as the runtime's machine. A process can have one
// (model/system/system.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/system/system.hpp"
#include "runtime/session/core_wave.hpp"
#include "runtime/session/machine_factory.hpp"
#include "runtime/session/upsets.hpp"

namespace trnsim::runtime {

class ChipMachine : public Machine {
  public:
    // Puts a core into this slot of a chip that has no others: the verilated one built for `config`, which
    // may use `threads` threads, or a fast one. Throws std::runtime_error when there is no such core.
    ChipMachine(const config::Config& config, const tlm::chip::Options& options, unsigned threads = 1,
                unsigned core = 0, Fidelity fidelity = Fidelity::Rtl, bool switches = false);

    // Returns the violations that the checkers found, one line each.
    std::vector<std::string> protocol_violations() const { return system_.chip().protocol_violations(); }

    void observe_gpsimd(tlm::GpsimdObserver* observer) { core().observe_gpsimd(observer); }
    void debug_gpsimd(tlm::GpsimdDebugger& debugger) { core().debug_gpsimd(debugger); }
    void watch(tlm::MemoryWatch* watch) { core().watch(watch); }

    void reset() override;
    void record_wave(const WaveRequest& request) override;

    void write32(std::uint64_t address, std::uint32_t value) override { system_.write32(address, value); }
    std::uint32_t read32(std::uint64_t address) override { return system_.read32(address); }
    void write(std::uint64_t address, std::span<const std::uint8_t> data) override {
        system_.write(address, data);
    }
    void read(std::uint64_t address, std::span<std::uint8_t> data) override { system_.read(address, data); }
    // Memory with random contents is not cleared by forgetting what was written.
    void forget(std::uint64_t address, std::uint64_t bytes) override {
        if (options_.random_memory) return Machine::forget(address, bytes);
        system_.chip().forget(address, bytes);
    }
    void before_start() override;
    std::optional<tlm::RunResult> quiesce(const Watch&) override { return system_.quiesce(); }
    void resume() override { system_.resume(); }
    void save(checkpoint::SystemState& state) override { system_.save(state); }
    void load(const checkpoint::SystemState& state) override;
    void switch_model() override;
    tlm::RunResult run(std::uint64_t limit) override;
    tlm::Statistics statistics() const override { return system_.chip().statistics(core_); }
    std::string close_wave() override { return wave_.close(); }
    tlm::CoreInfo core_info() const override { return system_.chip().core(core_).info(); }
    Fidelity fidelity() const override { return fidelity_; }
    tlm::perturb::Seed perturbed() const override { return options_.perturb; }
    tlm::contents::Seed random_memory() const override { return options_.random_memory; }

  private:
    void expect_rtl(std::string_view what) const;
    tlm::Core& core() { return system_.chip().core(core_); }

    tlm::chip::Options options_;
    unsigned core_;
    Fidelity fidelity_;
    bool switches_;
    tlm::System system_;
    std::uint64_t clock_;  // Hz, clock of the core
    CoreWave wave_;
    bool fresh_ = true;  // nothing has been executed yet
    std::optional<Upsets> upsets_;
    std::uint64_t next_upset_ = 0;  // fs
};

// Makes the machine of a configuration; a MachineFactory.
std::unique_ptr<Machine> make_chip(const config::Config& config, const MachineOptions& options);

}  // namespace trnsim::runtime
