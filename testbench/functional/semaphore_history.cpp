#include "testbench/functional/semaphore_history.hpp"

#include <algorithm>

namespace trnsim::functional {

void SemaphoreHistory::Direction::add(std::uint32_t amount, std::size_t agent, std::uint32_t now,
                                      const Clock& clock) {
    Changes& changes = by_agent[agent];
    changes.pending -= std::min<std::uint64_t>(changes.pending, amount);
    changes.made.push_back({now, changes.made_total() + amount, clock});
}

void SemaphoreHistory::Direction::forget_made() {
    for (auto& [agent, changes] : by_agent) changes.made.clear();
}

std::uint64_t SemaphoreHistory::Direction::total() const {
    std::uint64_t total = 0;
    for (const auto& [agent, changes] : by_agent) total += changes.made_total();
    return total;
}

std::uint64_t SemaphoreHistory::Direction::known_total(const Known& known) const {
    std::uint64_t total = 0;
    for (const auto& [agent, changes] : by_agent) {
        const auto after = std::ranges::upper_bound(changes.made, known(agent), {}, &Own::time);
        if (after != changes.made.begin()) total += std::prev(after)->total;
    }
    return total;
}

Clock SemaphoreHistory::Direction::reaching(std::uint64_t total, std::size_t agents) const {
    std::uint64_t possible = 0;
    for (const auto& [agent, changes] : by_agent) possible += changes.made_total() + changes.pending;
    Clock clock(agents);
    for (const auto& [agent, changes] : by_agent) {
        const std::uint64_t others = possible - changes.made_total() - changes.pending;
        if (total <= others) continue;
        const auto own = std::ranges::lower_bound(changes.made, total - others, {}, &Own::total);
        if (own != changes.made.end()) join(clock, own->clock);
    }
    return clock;
}

void SemaphoreHistory::changed(isa::UpdateMode mode, std::uint32_t amount, std::size_t agent,
                               std::uint32_t now, const Clock& clock) {
    switch (mode) {
        case isa::UpdateMode::None:
            return;
        case isa::UpdateMode::Add:
            return up_.add(amount, agent, now, clock);
        case isa::UpdateMode::Sub:
            return down_.add(amount, agent, now, clock);
        case isa::UpdateMode::Set:
            highest_before_ = std::max(highest_before_, base_ + up_.total());
            base_ = amount;
            setter_ = agent;
            set_time_ = now;
            set_clock_ = clock;
            up_.forget_made();
            down_.forget_made();
    }
}

bool SemaphoreHistory::setting_known(const Known& known) const {
    return set_clock_.empty() || known(setter_) >= set_time_;
}

Clock SemaphoreHistory::at_least(std::uint32_t value, const Known& known, std::size_t agents) const {
    const bool proved = !set_clock_.empty() && value > highest_before_;
    if (!proved && !setting_known(known)) return Clock(agents);
    const std::uint64_t seen = value + down_.known_total(known);
    Clock clock = up_.reaching(seen > base_ ? seen - base_ : 0, agents);
    if (proved) join(clock, set_clock_);
    return clock;
}

Clock SemaphoreHistory::at_most(std::uint32_t value, const Known& known, std::size_t agents) const {
    const std::uint64_t reached = base_ + up_.known_total(known);
    if (!setting_known(known)) return Clock(agents);
    return down_.reaching(reached > value ? reached - value : 0, agents);
}

}  // namespace trnsim::functional
