#include <fmt/format.h>

#include <algorithm>

#include "model/chip/chip.hpp"

namespace trnsim::tlm::chip {

void Chip::hold() {
    for (const Slot& slot : slots_) {
        if (slot.core != nullptr) slot.core->halt();
    }
}

bool Chip::quiescent() const {
    return std::ranges::all_of(cores_, &Core::quiescent) && dma_idle() &&
           std::ranges::all_of(slots_, [](const Slot& slot) { return slot.dma->quiet(); }) &&
           (!collectives_ || collectives_->quiescent());
}

void Chip::resume() {
    for (const Slot& slot : slots_) {
        if (slot.core != nullptr) slot.core->resume();
    }
}

checkpoint::ChipState Chip::save() const {
    checkpoint::ChipState state;
    state.number = number();
    for (unsigned number = 0; number < slots_.size(); ++number) {
        const Slot& slot = slots_[number];
        if (slot.core == nullptr) continue;
        checkpoint::SlotState& saved = state.slots.emplace_back();
        saved.slot = number;
        saved.core = slot.core->save();
        for (unsigned e = 0; e < slot.dma->engines(); ++e) saved.dma.push_back(slot.dma->engine(e).save());
    }
    for (const auto& stack : hbm_) state.hbm.push_back(stack->storage().contents().save());
    if (collectives_) state.collective_cores = collectives_->save();
    return state;
}

void Chip::load(const checkpoint::ChipState& state) {
    if (state.slots.size() != cores_.size())
        throw checkpoint::Error(
            fmt::format("{} cores in the checkpoint, expected {}", state.slots.size(), cores_.size()));
    if (state.hbm.size() != hbm_.size())
        throw checkpoint::Error(
            fmt::format("{} HBM stacks in the checkpoint, expected {}", state.hbm.size(), hbm_.size()));
    for (std::size_t i = 0; i < hbm_.size(); ++i) hbm_[i]->storage().contents().load(state.hbm[i]);
    for (const checkpoint::SlotState& saved : state.slots) {
        if (saved.slot >= slots_.size() || slots_[saved.slot].core == nullptr)
            throw checkpoint::Error(fmt::format("core {} in the checkpoint, which is not there", saved.slot));
        const Slot& slot = slots_[saved.slot];
        if (saved.dma.size() != slot.dma->engines())
            throw checkpoint::Error(fmt::format("{} DMA engines in the checkpoint, expected {}",
                                                saved.dma.size(), slot.dma->engines()));
        for (unsigned e = 0; e < slot.dma->engines(); ++e) slot.dma->engine(e).load(saved.dma[e]);
        slot.core->load(saved.core);
    }
    if (collectives_)
        collectives_->load(state.collective_cores);
    else if (!state.collective_cores.empty())
        throw checkpoint::Error("collective cores in the checkpoint, expected none");
}

}  // namespace trnsim::tlm::chip
