// A queue of what is still to happen, the earliest first; entries of equal times are in the order of their
// push.
#pragma once

#include <utility>

#include "model/protocol/ring_queue.hpp"
#include "model/protocol/types.hpp"

namespace trnsim::tlm::protocol {

// Made for entries that come in nearly in order, as responses do: they are kept sorted, and one that is not
// the last is put between others.
template <typename T>
class TimedQueue {
  public:
    void push(Time at, T value) {
        entries_.push_back({at, std::move(value)});
        for (std::size_t i = entries_.size() - 1; i > 0 && at < entries_[i - 1].at; --i)
            std::swap(entries_[i - 1], entries_[i]);
    }

    bool empty() const { return entries_.empty(); }
    bool due(Time now) const { return !empty() && next() <= now; }
    // Returns the time of the first entry.
    Time next() const { return entries_.front().at; }
    const T& front() const { return entries_.front().value; }
    T pop() {
        T value = std::move(entries_.front().value);
        entries_.pop_front();
        return value;
    }

  private:
    struct Entry {
        Time at = 0;
        T value{};
    };

    RingQueue<Entry> entries_;  // ordered by time
};

}  // namespace trnsim::tlm::protocol
