// The entries that wait in one direction of a pseudo channel: pieces of requests, in order of arrival for
// each bank.
#pragma once

#include <array>
#include <vector>

#include "model/hbm/organisation.hpp"

namespace trnsim::tlm::hbm {

// A piece of a request: bursts of consecutive columns of one row.
struct Entry {
    Cycle arrival = 0;           // arrival at the channel; in a queue: at the queue
    std::uint64_t sequence = 0;  // the request's; older ones have smaller numbers
    std::uint32_t slot = 0;      // slot of the request, used by its maker
    std::uint32_t row = 0;
    std::uint8_t bank = 0;
    std::uint8_t column = 0;  // column of the next burst
    std::uint8_t bursts = 0;  // still to be moved
    bool write = false;
};

class Queue {
  public:
    explicit Queue(std::uint64_t capacity);  // bursts

    bool empty() const { return waiting_ == 0; }
    std::uint64_t bursts() const { return bursts_; }
    bool has_room(const Entry& entry) const { return bursts_ + entry.bursts <= capacity_; }

    BankMask waiting() const { return waiting_; }  // banks with entries
    BankMask hits() const { return hits_; }        // banks with entries for their open row

    const Entry& head(unsigned bank) const { return nodes_[banks_[bank].head].entry; }
    // Returns the oldest entry for the open row of a bank in hits().
    const Entry& hit(unsigned bank) const { return nodes_[banks_[bank].hit].entry; }
    bool head_is_hit(unsigned bank) const { return banks_[bank].hit == banks_[bank].head; }
    bool has_second_hit(unsigned bank) const;
    // Returns the oldest entry of all banks.
    const Entry& oldest() const {
        if (oldest_ == None) find_oldest();
        return nodes_[oldest_].entry;
    }

    // Returns whether an entry with one of the same bursts waits.
    bool overlaps(const Entry& entry) const {
        return (waiting_ & mask_of(entry.bank)) != 0 && overlaps_in_bank(entry);
    }

    // Adds an entry that waits from `at` on. `is_hit`: it is for the open row of its bank.
    void push(const Entry& entry, Cycle at, bool is_hit);
    void opened(unsigned bank, std::uint32_t row);
    void closed(unsigned bank);
    // Moves a burst of hit(bank). Returns true if it was the entry's last one; remove_hit() must follow.
    bool advance(unsigned bank) {
        Entry& entry = nodes_[banks_[bank].hit].entry;
        --bursts_;
        ++entry.column;
        return --entry.bursts == 0;
    }
    void remove_hit(unsigned bank);

  private:
    static constexpr std::uint16_t None = 0xffff;
    struct Node {
        Entry entry;
        std::uint64_t number = 0;  // order of arrival, also within a request
        std::uint16_t next = None;
    };
    struct Bank {
        std::uint16_t head = None, tail = None;
        std::uint16_t hit = None, before_hit = None;
    };

    void find_oldest() const;
    bool overlaps_in_bank(const Entry& entry) const;
    void find_hit(unsigned bank, std::uint32_t row, std::uint16_t from, std::uint16_t before);

    std::uint64_t capacity_, bursts_ = 0;
    std::uint64_t pushed_ = 0;
    std::vector<Node> nodes_;
    std::vector<std::uint16_t> free_;
    std::array<Bank, Banks> banks_{};
    BankMask waiting_ = 0, hits_ = 0;
    mutable std::uint16_t oldest_ = None;
};

}  // namespace trnsim::tlm::hbm
