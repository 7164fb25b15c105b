#include "compiler/builder/knowledge.hpp"

#include <algorithm>

namespace trnsim::builder {

const Knowledge::Clock* Knowledge::clock_of(const Event& event) const {
    const std::vector<Told>& told = producers_[static_cast<std::size_t>(event.producer)].told;
    const auto later = std::ranges::upper_bound(told, event.index, {}, &Told::index);
    return later == told.begin() ? nullptr : &std::prev(later)->clock;
}

bool Knowledge::implies(const Event& event, const Event& other) const {
    if (event.producer == other.producer) return event.index >= other.index;
    const Clock* clock = clock_of(event);
    return clock != nullptr && entry(*clock, static_cast<std::size_t>(other.producer)) > other.index;
}

After Knowledge::needed(std::size_t engine, const After& after, bool data_path) const {
    After needed;
    for (const Event& event : after) {
        if (event.producer < 0) continue;
        const auto producer = static_cast<std::size_t>(event.producer);
        if (producer == engine && data_path) continue;
        if (entry(streams_[engine].clock, producer) > event.index) continue;
        const auto same = std::ranges::find(needed, event.producer, &Event::producer);
        if (same == needed.end()) {
            needed.push_back(event);
        } else {
            same->index = std::max(same->index, event.index);
        }
    }
    if (needed.size() < 2) return needed;
    // No two events imply each other, so every removed event is implied by one that stays.
    std::erase_if(needed, [&, all = needed](const Event& event) {
        return std::ranges::any_of(all, [&](const Event& other) {
            return other.producer != event.producer && implies(other, event);
        });
    });
    return needed;
}

void Knowledge::learn(std::size_t engine, const After& events) {
    Stream& stream = streams_[engine];
    if (!events.empty()) ++stream.version;
    stream.clock.resize(producers_.size());
    for (const Event& event : events) {
        if (const Clock* clock = clock_of(event)) {
            for (std::size_t i = 0; i < clock->size(); ++i)
                stream.clock[i] = std::max(stream.clock[i], (*clock)[i]);
        }
        std::uint64_t& count = stream.clock[static_cast<std::size_t>(event.producer)];
        count = std::max(count, event.index + 1);
    }
}

void Knowledge::tells(const Event& event, std::size_t engine) {
    const Stream& stream = streams_[engine];
    Producer& producer = producers_[static_cast<std::size_t>(event.producer)];
    if (producer.version == stream.version) return;
    producer.version = stream.version;
    if (!producer.told.empty() && producer.told.back().index == event.index) {
        producer.told.back().clock = stream.clock;
    } else {
        producer.told.push_back({event.index, stream.clock});
    }
}

}  // namespace trnsim::builder
