#include "model/hbm/queue.hpp"

#include <bit>

namespace trnsim::tlm::hbm {

Queue::Queue(std::uint64_t capacity) : capacity_(capacity), nodes_(capacity) {
    free_.reserve(capacity);
    for (std::uint64_t i = capacity; i-- > 0;) free_.push_back(static_cast<std::uint16_t>(i));
}

void Queue::find_oldest() const {
    for (BankMask left = waiting_; left != 0; left = without_lowest(left)) {
        const std::uint16_t node = banks_[std::countr_zero(left)].head;
        if (oldest_ == None || nodes_[node].number < nodes_[oldest_].number) oldest_ = node;
    }
}

bool Queue::overlaps_in_bank(const Entry& entry) const {
    for (std::uint16_t n = banks_[entry.bank].head; n != None; n = nodes_[n].next) {
        const Entry& other = nodes_[n].entry;
        if (other.row == entry.row && other.column < entry.column + entry.bursts &&
            entry.column < other.column + other.bursts) {
            return true;
        }
    }
    return false;
}

bool Queue::has_second_hit(unsigned bank) const {
    const Node& first = nodes_[banks_[bank].hit];
    for (std::uint16_t n = first.next; n != None; n = nodes_[n].next)
        if (nodes_[n].entry.row == first.entry.row) return true;
    return false;
}

void Queue::push(const Entry& entry, Cycle at, bool is_hit) {
    const std::uint16_t node = free_.back();
    free_.pop_back();
    nodes_[node] = {entry, ++pushed_, None};
    nodes_[node].entry.arrival = at;
    Bank& bank = banks_[entry.bank];
    if (bank.hit == None && is_hit) {
        bank.hit = node;
        bank.before_hit = bank.tail;
        hits_ |= mask_of(entry.bank);
    }
    (bank.head == None ? bank.head : nodes_[bank.tail].next) = node;
    bank.tail = node;
    waiting_ |= mask_of(entry.bank);
    bursts_ += entry.bursts;
}

void Queue::find_hit(unsigned bank, std::uint32_t row, std::uint16_t from, std::uint16_t before) {
    Bank& b = banks_[bank];
    b.hit = from;
    b.before_hit = before;
    while (b.hit != None && nodes_[b.hit].entry.row != row) {
        b.before_hit = b.hit;
        b.hit = nodes_[b.hit].next;
    }
    hits_ = static_cast<BankMask>(b.hit == None ? hits_ & ~mask_of(bank) : hits_ | mask_of(bank));
}

void Queue::opened(unsigned bank, std::uint32_t row) {
    find_hit(bank, row, banks_[bank].head, None);
}

void Queue::closed(unsigned bank) {
    banks_[bank].hit = banks_[bank].before_hit = None;
    hits_ &= static_cast<BankMask>(~mask_of(bank));
}

void Queue::remove_hit(unsigned bank) {
    Bank& b = banks_[bank];
    const std::uint16_t node = b.hit;
    const std::uint16_t next = nodes_[node].next;
    (b.before_hit == None ? b.head : nodes_[b.before_hit].next) = next;
    if (b.tail == node) b.tail = b.before_hit;
    if (b.head == None) waiting_ &= static_cast<BankMask>(~mask_of(bank));
    if (oldest_ == node) oldest_ = None;
    free_.push_back(node);
    find_hit(bank, nodes_[node].entry.row, next, b.before_hit);
}

}  // namespace trnsim::tlm::hbm
