// Waveforms of the fast core. After a step they only need to know which clocks had an edge in it.
#include <stdexcept>

#include "model/core/fast/fast_model.hpp"

namespace trnsim::tlm::core_fast {

void FastModel::open_wave(const std::string& path, std::span<const std::string> scopes) {
    check_wave_scopes(scopes);
    wave_.emplace(path, scopes);
}

void FastModel::dump_wave(std::uint64_t time_ps) {
    if (wave_) wave_->dump(time_ps, probes());
}

std::string FastModel::close_wave() {
    if (!wave_) return {};
    const std::string failure = wave_->close();
    wave_.reset();
    return failure;
}

Probes FastModel::probes() const {
    Probes probes;
    state_->control.probe(engines(), bus_.tick(), probes);
    CoreProbe& core = probes.core;
    const auto clock = [this](std::size_t bit) { return out.idle ? 0 : fired_ >> bit & 1; };
    core.reset = in.reset_n ? 0 : 1;
    core.idle = out.idle ? 1 : 0;
    core.error = out.error ? 1 : 0;
    core.tensor_clock = clock(static_cast<std::size_t>(isa::Engine::Tensor));
    core.vector_clock = clock(static_cast<std::size_t>(isa::Engine::Vector));
    for (unsigned e = 0; e < EngineCount; ++e) {
        probes.sequencer[e].busy = out.engine[e].busy ? 1 : 0;
        core.busy |= probes.sequencer[e].busy << e;
    }
    return probes;
}

}  // namespace trnsim::tlm::core_fast
