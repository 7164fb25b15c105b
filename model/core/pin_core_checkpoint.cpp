#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/core/pin_core.hpp"

namespace trnsim::tlm {

bool PinCore::quiescent() const {
    return model_->quiescent() && !waits_for_memory() &&
           std::ranges::all_of(ports_, [](const AxiPort& port) { return port.empty(); });
}

// Begins with a model that has been reset. Its clocks go to where those of the core are.
void PinCore::begin(const checkpoint::CoreState& state) {
    model_->in = {};
    model_->in.reset_n = true;
    for (std::uint64_t i = 0; i < steps_ % clock_pattern_; ++i) model_->step();
    model_->load(state);
    std::fill(driven_.begin(), driven_.end(), false);
    halting_ = failed_ = false;
    wake(now());
}

void PinCore::load(const checkpoint::CoreState& state) {
    checkpoint::check_shape(state, shape_);
    restart();
    begin(state);
}

void PinCore::switch_model() {
    if (later_ == nullptr) throw checkpoint::Error("this core has one model");
    if (!quiescent()) throw std::logic_error("the model of a core at work was changed");
    const checkpoint::CoreState state = model_->save();
    memories_before_ = memories_before_ + model_->memory_counts();
    engines_before_ = engines_before_ + model_->engine_counters();
    gpsimd_before_ = gpsimd_before_ + model_->gpsimd_counters();
    model_ = std::move(later_);
    if (later_wave_) {
        wave_ = later_wave_->window;
        model_->open_wave(later_wave_->path, later_wave_->scopes);
        later_wave_.reset();
    }
    begin(state);
}

}  // namespace trnsim::tlm
