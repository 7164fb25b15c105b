#include "testbench/functional/semaphore_history.hpp"

#include <algorithm>

namespace trnsim::functional {

void SemaphoreHistory::Direction::add(std::uint32_t amount, std::size_t agent, std::uint32_t now,
                                      const Clock& clock) {
    Changes& changes = by_agent[agent];
    if (!changes.pending.empty()) changes.pending.pop_front();
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

std::uint64_t SemaphoreHistory::Changes::without(std::size_t other, std::uint32_t time) const {
    const auto behind =
        std::ranges::partition_point(made, [other, time](const Own& own) { return own.clock[other] < time; });
    std::uint64_t total = behind == made.begin() ? 0 : std::prev(behind)->total;
    if (behind != made.end()) return total;
    for (const Pending& addition : pending) total += addition.clock[other] < time ? addition.amount : 0;
    return total;
}

bool SemaphoreHistory::Direction::takes(std::size_t agent, std::size_t index, std::uint64_t total,
                                        const Substitutes& lesson) const {
    const std::vector<Own>& made = by_agent.at(agent).made;
    std::map<std::size_t, std::uint64_t> parts;
    if (const auto learned = lesson.find(agent); learned != lesson.end()) parts = learned->second;
    for (const auto& [other, changes] : by_agent) {
        if (other != agent) parts[other] = std::max(parts[other], changes.without(agent, made[index].time));
    }
    std::uint64_t without = index == 0 ? 0 : made[index - 1].total;
    for (const auto& [other, part] : parts) without += part;
    return without < total;
}

Clock SemaphoreHistory::Direction::reaching(std::uint64_t total, std::size_t entries,
                                            const Substitutes& lesson, Credit& credit) const {
    Clock clock(entries);
    for (const auto& [agent, changes] : by_agent) {
        // The search is binary: if a change is needed for the total, so are the agent's earlier ones.
        std::size_t first = 0, end = changes.made.size();
        while (first != end) {
            const std::size_t middle = first + (end - first) / 2;
            if (takes(agent, middle, total, lesson)) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        if (first == 0) continue;
        join(clock, changes.made[first - 1].clock);
        credit.times[agent] = changes.made[first - 1].time;
    }
    return clock;
}

const SemaphoreHistory::Lesson& SemaphoreHistory::lesson_of(const Reading& reading) const {
    static const Lesson none;
    const auto found = lessons_.find({reading.engine, reading.time});
    return found == lessons_.end() ? none : found->second;
}

Clock SemaphoreHistory::credited(bool up, std::uint64_t total, const Reading& reading, std::size_t entries) {
    const Lesson& lesson = lesson_of(reading);
    if (total == 0 || lesson.distrusted) return Clock(entries);
    Credit credit{.reading = reading, .up = up};
    Clock clock = (up ? up_ : down_).reaching(total, entries, up ? lesson.up : lesson.down, credit);
    if (!credit.times.empty()) credits_[reading.engine].push_back(std::move(credit));
    return clock;
}

// Visits every reading that is not ordered before an agent that knows `clock`.
template <typename Visit>
void SemaphoreHistory::for_unordered(const Clock& clock, Visit visit) const {
    for (const auto& [engine, credits] : credits_) {
        for (auto credit = credits.rbegin();
             credit != credits.rend() && credit->reading.time > clock[credit->reading.issue]; ++credit)
            visit(*credit);
    }
}

// A change may have been seen in place of another if it is ordered neither after the reading nor after the
// change with which the reading was credited.
void SemaphoreHistory::doubt(bool up, std::size_t agent, const Clock& clock) {
    const Direction& direction = up ? up_ : down_;
    if (direction.by_agent.size() == 1 && set_clock_.empty()) return;  // there is no other agent
    const std::uint64_t total = direction.by_agent.at(agent).made_total();
    for_unordered(clock, [&](const Credit& credit) {
        if (credit.setting) return distrust(credit.reading);
        if (credit.up != up) return;
        for (const auto& [other, time] : credit.times) {
            if (other == agent || clock[other] >= time) continue;
            Lesson& lesson = lessons_[{credit.reading.engine, credit.reading.time}];
            std::uint64_t& learned = (up ? lesson.up : lesson.down)[other][agent];
            if (learned >= total) continue;
            learned = total;
            learned_ = true;
        }
    });
}

void SemaphoreHistory::distrust(const Reading& reading) {
    lessons_[{reading.engine, reading.time}].distrusted = true;
    learned_ = true;
}

bool SemaphoreHistory::restart() {
    const bool learned = learned_;
    auto lessons = std::move(lessons_);
    *this = {};
    lessons_ = std::move(lessons);
    return learned;
}

void SemaphoreHistory::changed(isa::UpdateMode mode, std::uint32_t amount, std::size_t agent,
                               std::uint32_t now, const Clock& clock) {
    switch (mode) {
        case isa::UpdateMode::None:
            return;
        case isa::UpdateMode::Add:
            up_.add(amount, agent, now, clock);
            return doubt(true, agent, clock);
        case isa::UpdateMode::Sub:
            down_.add(amount, agent, now, clock);
            return doubt(false, agent, clock);
        case isa::UpdateMode::Set:
            for_unordered(clock, [this](const Credit& credit) { distrust(credit.reading); });
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

Clock SemaphoreHistory::at_least(std::uint32_t value, const Known& known, const Reading& reading,
                                 std::size_t entries) {
    const bool proved = !set_clock_.empty() && value > highest_before_;
    if (!proved && !setting_known(known)) return Clock(entries);
    const std::uint64_t seen = value + down_.known_total(known);
    Clock clock = credited(true, seen > base_ ? seen - base_ : 0, reading, entries);
    if (proved && !lesson_of(reading).distrusted) {
        join(clock, set_clock_);
        credits_[reading.engine].push_back({.reading = reading, .up = true, .setting = true});
    }
    return clock;
}

Clock SemaphoreHistory::at_most(std::uint32_t value, const Known& known, const Reading& reading,
                                std::size_t entries) {
    const std::uint64_t reached = base_ + up_.known_total(known);
    if (!setting_known(known)) return Clock(entries);
    return credited(false, reached > value ? reached - value : 0, reading, entries);
}

}  // namespace trnsim::functional
