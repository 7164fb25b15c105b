#include "runtime/session/core_wave.hpp"

#include <limits>
#include <stdexcept>

#include "base/numbers/numbers.hpp"
#include "base/time/cycles.hpp"
#include "model/core/core_model.hpp"
#include "model/core/fast/wave.hpp"

namespace trnsim::runtime {

void CoreWave::record(tlm::chip::Chip& chip, unsigned core, Fidelity recorded, std::uint64_t clock,
                      const WaveRequest& request) {
    if (recorded == Fidelity::Fast)
        tlm::core_fast::check_fast_scopes(request.scopes);
    else
        tlm::check_wave_scopes(request.scopes);
    if (request.dram && !chip.report_dram(true))
        throw std::runtime_error("hbm.model is 'simple', which has no commands to record, expected 'banked'");
    chip_ = &chip;
    core_ = core;
    clock_ = clock;
    if (request.from_start)
        waits_ = request;
    else
        chip.core(core).record_wave(request.path, request.scopes, request.first_cycle, request.last_cycle);
}

void CoreWave::start() {
    if (!waits_) return;
    const std::uint64_t start = time_to_cycles(tlm::now(), clock_);
    chip_->core(core_).record_wave(waits_->path, waits_->scopes, add_saturating(start, waits_->first_cycle),
                                   add_saturating(start, waits_->last_cycle));
    waits_.reset();
}

std::string CoreWave::close() {
    if (chip_ == nullptr) return {};
    waits_.reset();
    chip_->report_dram(false);
    return std::exchange(chip_, nullptr)->core(core_).close_wave();
}

}  // namespace trnsim::runtime
