// The states of the engines of a core, and its counts.
#include <fmt/format.h>

#include <algorithm>

#include "isa/isa_tables.hpp"
#include "model/core/pin_core.hpp"

namespace trnsim::tlm {
namespace {

bool at_rest(std::uint8_t state) {
    return state == static_cast<std::uint8_t>(isa::SeqState::Idle) ||
           state == static_cast<std::uint8_t>(isa::SeqState::Halted);
}

}  // namespace

bool PinCore::done() const {
    const auto& engines = model_->out.engine;
    return stopped_ &&
           std::all_of(engines.begin(), engines.end(), [](const EngineOut& e) { return at_rest(e.state); }) &&
           std::any_of(engines.begin(), engines.end(), [](const EngineOut& e) {
               return e.state == static_cast<std::uint8_t>(isa::SeqState::Halted);
           });
}

bool PinCore::unused() const {
    return stopped_ && std::ranges::all_of(model_->out.engine, [](const EngineOut& e) {
               return e.state == static_cast<std::uint8_t>(isa::SeqState::Idle);
           });
}

std::string PinCore::state() const {
    std::string text;
    for (unsigned i = 0; i < Engines; ++i) {
        const auto engine = static_cast<isa::Engine>(i);
        const auto state = static_cast<isa::SeqState>(model_->out.engine[i].state);
        text += fmt::format("{}{} {}", i == 0 ? "" : " ", isa::name_of(engine), isa::name_of(state));
    }
    return text;
}

CoreStatistics PinCore::statistics() const {
    CoreStatistics statistics = statistics_;
    // Cycles of a stopped clock are counted when it goes on; these have not been counted yet.
    if (stopped_) count(statistics, clock_.cycle_at(now()) - clock_.cycle());
    statistics.manager = manager.traffic();
    statistics.memories = memories_before_ + model_->memory_counts();
    statistics.numeric = model_->numeric_error();
    const EngineCounters counters = engines_before_ + model_->engine_counters();
    for (unsigned i = 0; i < Engines; ++i)
        statistics.engine[i].busy_cycles = counters.busy[i] * ratios_[i].denominator / ratios_[i].numerator;
    statistics.matmul_cycles = counters.matmul;
    statistics.fast_load_cycles = counters.fast_load;
    statistics.normal_load_cycles = counters.normal_load;
    statistics.tables = tables.traffic();
    statistics.gpsimd = gpsimd_before_ + model_->gpsimd_counters();
    return statistics;
}

}  // namespace trnsim::tlm
