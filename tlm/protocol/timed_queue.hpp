// What is still to happen, the earliest first; at equal times in the order in which it was put in.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>

#include "tlm/protocol/types.hpp"

namespace trnsim::tlm::protocol {

// Made for what comes in nearly in order, as responses do: entries are kept sorted, and one that is not the last is
// put between others.
template <typename T>
class TimedQueue {
  public:
    void push(Time at, T value) {
        auto place = entries_.end();
        if (!empty() && at < entries_.back().at)
            place = std::ranges::upper_bound(entries_, at, {}, &Entry::at);
        entries_.insert(place, Entry{at, std::move(value)});
    }

    bool empty() const { return entries_.empty(); }
    bool due(Time now) const { return !empty() && next() <= now; }
    // Of the first entry.
    Time next() const { return entries_.front().at; }
    const T& front() const { return entries_.front().value; }
    T pop() {
        T value = std::move(entries_.front().value);
        entries_.pop_front();
        return value;
    }

  private:
    struct Entry {
        Time at;
        T value;
    };

    std::deque<Entry> entries_;  // by time
};

}  // namespace trnsim::tlm::protocol
