// One direction of a ring: its registers and the descriptors read ahead.
//
// Descriptors go through three states: handed over by a doorbell, on their way from memory, present. head()
// counts the executed ones.
#pragma once

#include <deque>
#include <optional>
#include <span>

#include "arch/checkpoint/system_state.hpp"
#include "model/dma/encodings.hpp"

namespace trnsim::tlm::dma {

// The descriptors of one read (prefetch burst of the public driver).
constexpr std::uint32_t FetchDescriptors = 8;

class DescriptorQueue {
  public:
    std::uint64_t base = 0;
    std::uint32_t size = 0;

    // Forgets everything, because the base has been written.
    void reset();

    // Returns how many descriptors may be handed over.
    std::uint32_t room() const { return size - pending_; }
    // Takes over `count` descriptors, at most room().
    void add(std::uint32_t count);

    struct Fetch {
        std::uint64_t address;
        std::uint32_t count;     // descriptors
        std::uint32_t index;     // index of the first in the ring
        std::uint64_t sequence;  // number to be given to arrived()
    };
    // Returns the next read of descriptors if there is something to read and room for it within `limit`.
    std::optional<Fetch> next_fetch(std::uint64_t limit);
    void arrived(std::uint64_t sequence, std::span<const std::uint8_t> bytes);

    // Returns the next descriptor to execute, once it has arrived.
    const Descriptor* front() const;
    std::uint32_t front_index() const { return head_; }
    void pop();

    // Return the values of the registers.
    std::uint32_t head() const { return pointer(head_wraps_, head_); }
    std::uint32_t tail() const { return pointer(tail_wraps_, tail_); }
    std::uint32_t pending() const { return pending_; }  // handed over and not executed
    bool wants_fetch() const { return unfetched_ != 0; }

    // Save and load a direction in which nothing is pending.
    checkpoint::RingState save() const { return {base, size, head_, head_wraps_}; }
    void load(const checkpoint::RingState& state);

  private:
    struct Entry {
        Descriptor descriptor;
        bool there = false;
    };

    std::uint32_t head_ = 0, tail_ = 0;
    std::uint32_t head_wraps_ = 0, tail_wraps_ = 0;
    std::uint32_t fetch_ = 0;  // index of the next descriptor to read
    std::uint32_t pending_ = 0, unfetched_ = 0;
    std::uint64_t popped_ = 0;  // sequence number of the first entry
    std::deque<Entry> entries_;
};

}  // namespace trnsim::tlm::dma
