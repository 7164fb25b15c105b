#include <fmt/format.h>

#include <algorithm>

#include "model/collectives/collective_cores.hpp"

namespace trnsim::tlm::collectives {
namespace {

void check(const char* what, std::size_t saved, std::size_t expected) {
    if (saved != expected)
        throw checkpoint::Error(fmt::format("{} {} in the checkpoint, expected {}", saved, what, expected));
}

}  // namespace

std::vector<checkpoint::CollectiveCoreState> CollectiveCores::save() const {
    std::vector<checkpoint::CollectiveCoreState> state;
    for (const Core& core : cores_)
        state.push_back({core.running, {core.next.begin(), core.next.end()}, core.flags});
    return state;
}

void CollectiveCores::load(const std::vector<checkpoint::CollectiveCoreState>& state) {
    check("collective cores", state.size(), cores_.size());
    for (std::size_t i = 0; i < cores_.size(); ++i) {
        Core& core = cores_[i];
        const checkpoint::CollectiveCoreState& saved = state[i];
        check("channels of a collective core", saved.next.size(), core.program.channels.size());
        check("flags of a collective core", saved.flags.size(), core.flags.size());
        for (std::size_t c = 0; c < saved.next.size(); ++c) {
            const std::size_t entries = core.program.channels[c].size();
            if (saved.next[c] > entries)
                throw checkpoint::Error(
                    fmt::format("entry {} of a channel of {} in the checkpoint", saved.next[c], entries));
            has_run_ = has_run_ || saved.next[c] != 0;
        }
        core.next.assign(saved.next.begin(), saved.next.end());
        core.at_head.assign(saved.next.size(), now());
        core.flags = saved.flags;
        core.running = saved.running;
        has_run_ = has_run_ || core.running;
    }
}

}  // namespace trnsim::tlm::collectives
