// Waveforms of a core in a window of cycles.
#include <algorithm>

#include "base/time/time.hpp"
#include "model/core/pin_core.hpp"

namespace trnsim::tlm {

void PinCore::record_wave(const std::string& path, std::span<const std::string> scopes, std::uint64_t first,
                          std::uint64_t last) {
    if (later_ != nullptr) {
        later_wave_ = {path, {scopes.begin(), scopes.end()}, {first, last}};
        return;
    }
    model_->open_wave(path, scopes);
    wave_ = Recording{first, last};
}

// A core that rested during the whole window still has its present state.
void PinCore::end_wave() {
    if (!wave_->dumped) {
        const std::uint64_t end = std::min(wave_->last, std::max(clock_.cycle(), wave_->first + 1));
        for (const std::uint64_t cycle : {wave_->first, end})
            model_->dump_wave(clock_.time_of(cycle) / FsPerPs);
    }
    wave_failure_ = model_->close_wave();
    wave_.reset();
}

std::string PinCore::close_wave() {
    if (later_wave_) return later_wave_->path + ": the run ended before the core that it is of had begun";
    if (wave_) end_wave();
    return wave_failure_;
}

}  // namespace trnsim::tlm
