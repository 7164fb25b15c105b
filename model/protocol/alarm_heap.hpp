// A heap of alarms, the earliest first. Alarms are scattered over the memory, so the data that a heap needs to
// move them is kept here: the keys, and the places by number, which all heaps share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/protocol/types.hpp"

namespace trnsim::tlm::protocol {

class AlarmHeap {
  public:
    struct Entry {
        Time at = 0;
        std::uint64_t order = 0;   // among those of the same time
        std::uint32_t number = 0;  // number of the alarm
        bool before(const Entry& other) const { return at != other.at ? at < other.at : order < other.order; }
    };

    // `places`: room for the place of each alarm, by its number; an alarm is in one heap at a time.
    explicit AlarmHeap(std::vector<std::uint32_t>& places) : places_(&places) {}

    bool empty() const { return entries_.empty(); }
    const Entry& front() const { return entries_.front(); }

    void add(const Entry& entry) {
        entries_.emplace_back();
        rise(entries_.size() - 1, entry);
    }

    // Gives an alarm that is in the heap an earlier time.
    void hasten(const Entry& entry) { rise((*places_)[entry.number], entry); }

    void remove(std::uint32_t number) {
        const std::size_t place = (*places_)[number];
        const Entry last = entries_.back();
        entries_.pop_back();
        if (last.number == number) return;
        if (place > 0 && last.before(entries_[parent_of(place)])) {
            rise(place, last);
        } else {
            sink(place, last);
        }
    }

    // Empties the heap and returns what it had, in no order.
    std::vector<Entry> take_all() { return std::exchange(entries_, {}); }

  private:
    // Each entry has four below it: the heap is half as high as one with two.
    static constexpr std::size_t Children = 4;
    static constexpr std::size_t parent_of(std::size_t place) { return (place - 1) / Children; }

    void put(std::size_t place, const Entry& entry) {
        entries_[place] = entry;
        (*places_)[entry.number] = static_cast<std::uint32_t>(place);
    }

    // Puts an entry at a place, or higher in the heap.
    void rise(std::size_t place, const Entry& entry) {
        while (place > 0) {
            const std::size_t parent = parent_of(place);
            if (!entry.before(entries_[parent])) break;
            put(place, entries_[parent]);
            place = parent;
        }
        put(place, entry);
    }

    // Puts an entry at a place, or lower in the heap.
    void sink(std::size_t place, const Entry& entry) {
        while (true) {
            const std::size_t first = Children * place + 1;
            if (first >= entries_.size()) break;
            const std::size_t end = std::min(first + Children, entries_.size());
            std::size_t child = first;
            for (std::size_t other = first + 1; other < end; ++other)
                if (entries_[other].before(entries_[child])) child = other;
            if (!entries_[child].before(entry)) break;
            put(place, entries_[child]);
            place = child;
        }
        put(place, entry);
    }

    std::vector<Entry> entries_;
    std::vector<std::uint32_t>* places_;
};

}  // namespace trnsim::tlm::protocol
