// What is still to happen, the earliest first; at equal times in the order in which it was put in.
#pragma once

#include <queue>
#include <utility>
#include <vector>

#include "tlm/protocol/types.hpp"

namespace trnsim::tlm::protocol {

template <typename T>
class TimedQueue {
  public:
    void push(Time at, T value) { entries_.push({at, order_++, std::move(value)}); }

    bool empty() const { return entries_.empty(); }
    bool due(Time now) const { return !empty() && next() <= now; }
    // Of the first entry.
    Time next() const { return entries_.top().at; }
    const T& front() const { return entries_.top().value; }
    T pop() {
        T value = front();
        entries_.pop();
        return value;
    }

  private:
    struct Entry {
        Time at;
        std::uint64_t order;
        T value;
        bool operator<(const Entry& other) const {
            return at != other.at ? at > other.at : order > other.order;
        }
    };

    std::priority_queue<Entry> entries_;
    std::uint64_t order_ = 0;
};

}  // namespace trnsim::tlm::protocol
