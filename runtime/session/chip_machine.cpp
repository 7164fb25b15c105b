#include "runtime/session/chip_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/numbers/numbers.hpp"
#include "model/core/fast/fast_core.hpp"
#include "model/core/pin_core.hpp"
#include "model/core/rtl/load_core_model.hpp"

namespace trnsim::runtime {
namespace {

Fidelity other(Fidelity fidelity) {
    return fidelity == Fidelity::Fast ? Fidelity::Rtl : Fidelity::Fast;
}

std::unique_ptr<tlm::CoreModel> make_model(const config::Config& config, unsigned threads,
                                           Fidelity fidelity) {
    return fidelity == Fidelity::Fast ? tlm::core_fast::make_model(config.core)
                                      : tlm::load_core_model(config::rtl_parameters(config), threads);
}

tlm::chip::Slots slots_of(const config::Config& config, unsigned threads, unsigned core, Fidelity fidelity,
                          bool switches) {
    tlm::chip::Slots slots(core + std::size_t{1});
    slots.back() = tlm::core_of(make_model(config, threads, fidelity),
                                switches ? make_model(config, threads, other(fidelity)) : nullptr);
    return slots;
}

}  // namespace

ChipMachine::ChipMachine(const config::Config& config, const tlm::chip::Options& options, unsigned threads,
                         unsigned core, Fidelity fidelity, bool switches)
    : options_(options),
      core_(core),
      fidelity_(fidelity),
      switches_(switches),
      system_(config, slots_of(config, threads, core, fidelity, switches), options),
      clock_(config.core.clock) {
    if (options.perturb) expect_rtl("perturbation");
    if (options.perturb && config.core.ecc != 0) upsets_.emplace(*options.perturb, config.core, core);
}

void ChipMachine::expect_rtl(std::string_view what) const {
    if (fidelity_ == Fidelity::Fast)
        throw std::runtime_error(fmt::format("{}: fidelity fast does not have it, expected rtl", what));
}

void ChipMachine::record_wave(const WaveRequest& request) {
    wave_.record(system_.chip(), core_, switches_ ? other(fidelity_) : fidelity_, clock_, request);
}

void ChipMachine::reset() {
    if (!fresh_) system_.reset();
}

void ChipMachine::before_start() {
    fresh_ = false;
    wave_.start();
}

void ChipMachine::load(const checkpoint::SystemState& state) {
    system_.load(state);
    before_start();
}

void ChipMachine::switch_model() {
    core().switch_model();
    fidelity_ = other(fidelity_);
    switches_ = false;
}

tlm::RunResult ChipMachine::run(std::uint64_t limit) {
    if (!upsets_) return system_.run(limit);
    const std::uint64_t begin = tlm::now();
    const std::uint64_t end =
        limit == 0 ? std::numeric_limits<std::uint64_t>::max() : add_saturating(begin, limit);
    for (;;) {
        if (next_upset_ <= tlm::now()) {
            upsets_->inject(*this);
            next_upset_ = tlm::now() + upsets_->pause();
        }
        if (tlm::now() >= end) return {tlm::Outcome::TimeLimit, "", begin, tlm::now()};
        tlm::RunResult result = system_.run(std::min(next_upset_, end) - tlm::now());
        result.start = begin;
        if (result.outcome != tlm::Outcome::TimeLimit || tlm::now() >= end) return result;
    }
}

std::unique_ptr<Machine> make_chip(const config::Config& config, const MachineOptions& options) {
    auto machine = std::make_unique<ChipMachine>(
        config,
        tlm::chip::Options{
            .sink = options.sink, .perturb = options.perturb, .random_memory = options.random_memory},
        options.threads, options.core, options.fidelity, options.switches);
    if (options.wave) machine->record_wave(*options.wave);
    machine->observe_gpsimd(options.gpsimd);
    if (options.debugger != nullptr) machine->debug_gpsimd(*options.debugger);
    machine->watch(options.watch);
    return machine;
}

}  // namespace trnsim::runtime
