#include "lib/runtime/chip_machine.hpp"

#include <algorithm>
#include <limits>

#include "lib/base/time/time.hpp"
#include "tlm/core/rtl/rtl_core.hpp"

namespace trnsim::runtime {
namespace {

std::uint64_t add_saturating(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
}

}  // namespace

ChipMachine::ChipMachine(const config::Config& config, const tlm::chip::Options& options, unsigned threads)
    : options_(options),
      chip_("chip", config, tlm::core_rtl::load_core(config, threads), options),
      clock_(config.core.clock) {
    if (options.perturb && config.core.ecc != 0) upsets_.emplace(*options.perturb, config.core);
}

void ChipMachine::record_wave(const WaveRequest& request) {
    if (request.from_start) {
        waits_ = request;
    } else {
        chip_.record_wave(request.path, request.scopes, request.first_cycle, request.last_cycle);
    }
}

void ChipMachine::reset() {
    if (!fresh_) chip_.reset();
}

void ChipMachine::before_start() {
    fresh_ = false;
    if (!waits_) return;
    const auto start =
        static_cast<std::uint64_t>(static_cast<unsigned __int128>(chip_.time()) * clock_ / FsPerSecond);
    chip_.record_wave(waits_->path, waits_->scopes, add_saturating(start, waits_->first_cycle),
                      add_saturating(start, waits_->last_cycle));
    waits_.reset();
}

tlm::chip::RunResult ChipMachine::run(std::uint64_t limit) {
    if (!upsets_) return chip_.run(limit);
    const std::uint64_t begin = chip_.time();
    const std::uint64_t end =
        limit == 0 ? std::numeric_limits<std::uint64_t>::max() : add_saturating(begin, limit);
    for (;;) {
        if (next_upset_ <= chip_.time()) {
            upsets_->inject(*this);
            next_upset_ = chip_.time() + upsets_->pause();
        }
        if (chip_.time() >= end) return {tlm::chip::Outcome::TimeLimit, "", begin, chip_.time()};
        tlm::chip::RunResult result = chip_.run(std::min(next_upset_, end) - chip_.time());
        result.start = begin;
        if (result.outcome != tlm::chip::Outcome::TimeLimit || chip_.time() >= end) return result;
    }
}

std::unique_ptr<Machine> make_chip(const config::Config& config, const MachineOptions& options) {
    auto machine = std::make_unique<ChipMachine>(
        config,
        tlm::chip::Options{
            .sink = options.sink, .perturb = options.perturb, .random_memory = options.random_memory},
        options.threads);
    if (options.wave) machine->record_wave(*options.wave);
    return machine;
}

}  // namespace trnsim::runtime
