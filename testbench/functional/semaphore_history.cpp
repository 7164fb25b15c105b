#include "testbench/functional/semaphore_history.hpp"

#include <algorithm>

namespace trnsim::functional {

void SemaphoreHistory::Direction::add(std::uint32_t amount, std::size_t agent, std::uint32_t now,
                                      const Clock& clock) {
    Step step{amount, clock};
    if (!steps.empty()) {
        step.total += steps.back().total;
        join(step.clock, steps.back().clock);
    }
    steps.push_back(std::move(step));
    std::vector<Own>& own = by_agent[agent];
    own.push_back({now, amount + (own.empty() ? 0 : own.back().total)});
}

std::uint64_t SemaphoreHistory::Direction::known_total(const Known& known) const {
    std::uint64_t total = 0;
    for (const auto& [agent, own] : by_agent) {
        const auto after = std::ranges::upper_bound(own, known(agent), {}, &Own::time);
        if (after != own.begin()) total += std::prev(after)->total;
    }
    return total;
}

Clock SemaphoreHistory::Direction::reaching(std::uint64_t total, std::size_t agents) const {
    const auto step = std::ranges::lower_bound(steps, total, {}, &Step::total);
    return total == 0 || step == steps.end() ? Clock(agents) : step->clock;
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
            highest_before_ =
                std::max(highest_before_, base_ + (up_.steps.empty() ? 0 : up_.steps.back().total));
            base_ = amount;
            setter_ = agent;
            set_time_ = now;
            set_clock_ = clock;
            up_ = down_ = {};
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
