#include "runtime/session/server_device.hpp"

#include <algorithm>
#include <utility>

#include "model/core/fast/fast_core.hpp"
#include "model/core/pin_core.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "runtime/session/error.hpp"
#include "runtime/session/for_ranks.hpp"
#include "runtime/session/run.hpp"

namespace trnsim::runtime {
namespace {

using addresses::CoreId;
using config::CoreKind;
using tlm::Outcome;

constexpr unsigned SetsUp = 0;  // the collective core of a chip that writes registers of its cores

tlm::LinkedOptions linked_options(const config::Server& server, const std::vector<CoreId>& cores,
                                  const MachineOptions& options) {
    const auto has = [&](CoreKind kind) {
        return std::ranges::any_of(cores,
                                   [&](CoreId core) { return server.slots[core.chip][core.core] == kind; });
    };
    tlm::LinkedOptions linked;
    linked.collectives = true;
    linked.sink = options.sink;
    linked.exchange = options.exchange;
    linked.perturb = options.perturb;
    linked.random_memory = options.random_memory;
    if (has(CoreKind::Rtl))
        linked.rtl = [chip = server.chip, switches = options.switches, threads = options.threads](
                         const char* name, const tlm::CoreSetup& setup) {
            auto rtl = tlm::load_core_model(config::rtl_parameters(chip), threads);  // one for each core
            return switches ? tlm::core_of(tlm::core_fast::make_model(chip.core), std::move(rtl))(name, setup)
                            : tlm::core_of(std::move(rtl))(name, setup);
        };
    if (has(CoreKind::Fast)) linked.fast = tlm::core_fast::make_core(server.chip);
    return linked;
}

}  // namespace

class ServerDevice::Core : public CoreAccess {
  public:
    Core(ServerDevice& device, std::uint32_t rank) : device_(device), rank_(rank), id_(device.cores_[rank]) {}

    void write32(std::uint64_t address, std::uint32_t value) override {
        if (device_.collects_)
            device_.writes_[id_.chip].push_back({address, value});
        else
            server().write32(id_.chip, address, value);
    }
    std::uint32_t read32(std::uint64_t address) override { return server().read32(id_.chip, address); }
    void write(std::uint64_t address, std::span<const std::uint8_t> data) override {
        server().write(id_.chip, address, data);
    }
    void read(std::uint64_t address, std::span<std::uint8_t> data) override {
        server().read(id_.chip, address, data);
    }
    void forget(std::uint64_t address, std::uint64_t bytes) override {
        if (device_.options_.random_memory) return CoreAccess::forget(address, bytes);
        chip().forget(address, bytes);
    }
    tlm::Statistics statistics() const override { return chip().statistics(id_.core); }
    tlm::CoreInfo core_info() const override { return chip().core(id_.core).info(); }
    Fidelity fidelity() const override { return device_.fidelity_of(rank_); }
    bool stopped_by(Outcome outcome) const override {
        if (outcome == Outcome::CoreError) return chip().core(id_.core).error();
        const tlm::dma::Dma& dma = chip().dma(id_.core);
        bool failed = false;
        for (unsigned e = 0; e < dma.engines(); ++e)
            failed |= dma.engine(e).error().code != dma::ErrorCode::None;
        return outcome == Outcome::DmaError && failed;
    }

    tlm::chip::Chip& chip() const { return server().chip(id_.chip); }
    tlm::Core& model() const { return chip().core(id_.core); }

  private:
    tlm::Server& server() const { return device_.server_.server(); }

    ServerDevice& device_;
    std::uint32_t rank_;
    CoreId id_;
};

ServerDevice::ServerDevice(const config::Server& description, std::vector<CoreId> cores,
                           const MachineOptions& options)
    : options_(options),
      cores_(std::move(cores)),
      server_(only(description, cores_), linked_options(description, cores_, options)),
      switches_(options.switches) {
    const config::Core& core = server_.description().chip.core;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        access_.push_back(std::make_unique<Core>(*this, rank));
        // A host has no access to registers while several processes are running.
        if (options.perturb && core.ecc != 0 && whole() && in_rtl_slot(rank)) {
            const auto seed = tlm::perturb::seed_of(options.perturb, cores_[rank]);
            upsets_.push_back({rank, Upsets(*seed, core, cores_[rank].core)});
        }
    }
    if (options.gpsimd != nullptr && here(options.observed))
        access_.at(options.observed)->model().observe_gpsimd(options.gpsimd);
    if (options.debugger != nullptr && here(options.observed))
        access_.at(options.observed)->model().debug_gpsimd(*options.debugger);
}

ServerDevice::~ServerDevice() = default;

CoreAccess& ServerDevice::core(std::uint32_t rank) {
    return *access_.at(rank);
}

bool ServerDevice::in_rtl_slot(std::uint32_t rank) const {
    return server_.description().slots[cores_[rank].chip][cores_[rank].core] == CoreKind::Rtl;
}

Fidelity ServerDevice::fidelity_of(std::uint32_t rank) const {
    return in_rtl_slot(rank) && !switches_ ? Fidelity::Rtl : Fidelity::Fast;
}

void ServerDevice::reset() {
    writes_.clear();
    collects_ = true;
    if (std::exchange(fresh_, false)) return;
    if (!whole()) throw Error("an execution has been, expected one in several processes", Status::Invalid);
    server_.reset();
}

// If cores switch models, the RTL is recorded.
void ServerDevice::record_wave(const WaveRequest& request) {
    if (!here(request.rank)) return;
    const Fidelity recorded = in_rtl_slot(request.rank) ? Fidelity::Rtl : Fidelity::Fast;
    const CoreId core = cores_.at(request.rank);
    wave_.record(server_.server().chip(core.chip), core.core, recorded, server_.description().chip.core.clock,
                 request);
}

ServerDevice::Writes ServerDevice::take_writes() {
    collects_ = false;
    return std::exchange(writes_, {});
}

void ServerDevice::settle() {
    for (auto& [chip, registers] : std::exchange(writes_, {})) {
        tlm::collectives::CollectiveCores& cores = server_.server().chip(chip).collective_cores();
        cores.load(SetsUp, {{{{{}, registers}}}});
        cores.start(SetsUp);
    }
    const tlm::RunResult run = server_.run();
    if (run.outcome != Outcome::Done) throw Error(run.message, Status::Failure);
}

tlm::RunResult ServerDevice::simulate(std::uint64_t limit, std::uint64_t longest, const Watch& watch) {
    auto told = std::chrono::steady_clock::now();
    std::uint64_t looked = time();
    return server_.run(limit, [&] {
        upset();
        const auto wall = std::chrono::steady_clock::now();
        const bool due = std::chrono::duration<double>(wall - told).count() >= ProgressSeconds;
        if (!due && time() - looked < longest) return true;
        if (due) told = wall;
        looked = time();
        return watch();
    });
}

// Inverts, from time to time, a bit in the memories of each perturbed core that has error correction.
void ServerDevice::upset() {
    for (Upset& one : upsets_) {
        if (time() < one.next || fidelity_of(one.rank) != Fidelity::Rtl) continue;
        one.upsets.inject(*access_[one.rank]);
        one.next = time() + one.upsets.pause();
    }
}

void ServerDevice::load(const checkpoint::SystemState& state) {
    server_.load(state);
    before_start();
}

void ServerDevice::switch_model() {
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        if (here(rank) && in_rtl_slot(rank)) access_[rank]->model().switch_model();
    }
    switches_ = false;
}

std::size_t ServerDevice::lost_requests() const {
    return const_cast<tlm::LinkedServer&>(server_).network().reports().size();
}

}  // namespace trnsim::runtime
