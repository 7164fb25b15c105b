#include "runtime/session/chip_of_process.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "arch/config/config.hpp"
#include "runtime/session/chip_machine.hpp"
#include "runtime/session/error.hpp"
#include "runtime/session/relay.hpp"

namespace trnsim::runtime {
namespace {

struct Shared {
    Relay relay;  // outlives the chip
    config::Config config;
    MachineOptions options;
    std::unique_ptr<Machine> chip;
    bool taken = false;
    bool broken = false;
};

Shared& shared() {
    static Shared instance;
    return instance;
}

// Runs a call; a simulation that broke off cannot continue.
template <typename Call>
auto guarded(Call call) {
    try {
        return call();
    } catch (const tlm::SimulationError&) {
        shared().broken = true;
        throw;
    }
}

// Lends the chip to a session.
class Borrowed final : public Machine {
  public:
    explicit Borrowed(tlm::trace::Sink* sink) : chip_(*shared().chip) {
        shared().taken = true;
        shared().relay.attach(sink);
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    ~Borrowed() override {
        shared().relay.attach(nullptr);
        shared().taken = false;
    }

    void write32(std::uint64_t address, std::uint32_t value) override {
        guarded([&] { chip_.write32(address, value); });
    }
    std::uint32_t read32(std::uint64_t address) override {
        return guarded([&] { return chip_.read32(address); });
    }
    void write(std::uint64_t address, std::span<const std::uint8_t> data) override {
        guarded([&] { chip_.write(address, data); });
    }
    void read(std::uint64_t address, std::span<std::uint8_t> data) override {
        guarded([&] { chip_.read(address, data); });
    }
    void forget(std::uint64_t address, std::uint64_t bytes) override {
        guarded([&] { chip_.forget(address, bytes); });
    }
    void reset() override {
        guarded([&] { chip_.reset(); });
    }
    tlm::RunResult run(std::uint64_t limit) override {
        return guarded([&] { return chip_.run(limit); });
    }
    void record_wave(const WaveRequest& request) override { chip_.record_wave(request); }
    void before_start() override { chip_.before_start(); }
    tlm::Statistics statistics() const override { return chip_.statistics(); }
    std::string close_wave() override { return chip_.close_wave(); }
    tlm::CoreInfo core_info() const override { return chip_.core_info(); }
    Fidelity fidelity() const override { return chip_.fidelity(); }
    tlm::perturb::Seed perturbed() const override { return chip_.perturbed(); }
    tlm::contents::Seed random_memory() const override { return chip_.random_memory(); }

  private:
    Machine& chip_;
};

void check(const Shared& there, const config::Config& config, const MachineOptions& options) {
    if (there.broken) {
        throw Error("the simulation of this process's device broke off: start another process",
                    Status::ExecUnitUnrecoverable);
    }
    if (there.taken)
        throw Error(
            "this process has an open session, expected it to be closed first: a process simulates "
            "one device");
    if (there.config != config) {
        throw Error(fmt::format(
            "this process simulates a device of configuration '{}'{}, which cannot be replaced by one of "
            "'{}': start another process",
            there.config.name, there.config.name == config.name ? " (with other keys)" : "", config.name));
    }
    if (there.options.perturb != options.perturb || there.options.random_memory != options.random_memory ||
        there.options.threads != options.threads) {
        throw Error(
            "this process simulates a device with other perturbation, random memory or threads, which cannot "
            "be changed: start another process");
    }
    if (there.options.fidelity != options.fidelity) {
        throw Error(
            fmt::format("this process simulates a device of fidelity {}, which cannot be replaced by one of "
                        "fidelity {}: start "
                        "another process",
                        name_of(there.options.fidelity), name_of(options.fidelity)));
    }
    if (there.options.core != options.core) {
        throw Error(
            fmt::format("this process simulates core {} of a device, which cannot be replaced by core "
                        "{}: start another process",
                        there.options.core, options.core));
    }
}

}  // namespace

std::unique_ptr<Machine> chip_of_process(const config::Config& config, const MachineOptions& options) {
    Shared& there = shared();
    if (there.chip) {
        check(there, config, options);
    } else {
        MachineOptions own = options;
        own.sink = &there.relay;
        own.wave.reset();
        there.chip = make_chip(config, own);
        there.config = config;
        there.options = std::move(own);
    }
    auto machine = std::make_unique<Borrowed>(options.sink);
    if (options.wave) machine->record_wave(*options.wave);
    return machine;
}

}  // namespace trnsim::runtime
