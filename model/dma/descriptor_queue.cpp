#include "model/dma/descriptor_queue.hpp"

#include <algorithm>

namespace trnsim::tlm::dma {

void DescriptorQueue::reset() {
    const std::uint64_t next = popped_ + entries_.size();
    const auto [keep_base, keep_size] = std::pair(base, size);
    *this = DescriptorQueue();
    base = keep_base;
    size = keep_size;
    popped_ = next;
}

void DescriptorQueue::load(const checkpoint::RingState& state) {
    base = state.base;
    size = state.size;
    reset();
    head_ = tail_ = fetch_ = state.place;
    head_wraps_ = tail_wraps_ = state.wraps;
}

void DescriptorQueue::add(std::uint32_t count) {
    if (count == 0) return;
    tail_ += count;  // at most twice the largest size
    tail_wraps_ += tail_ / size;
    tail_ %= size;
    pending_ += count;
    unfetched_ += count;
}

std::optional<DescriptorQueue::Fetch> DescriptorQueue::next_fetch(std::uint64_t limit) {
    const std::uint64_t room = limit - std::min<std::uint64_t>(limit, entries_.size());
    // Waiting for room for a whole burst keeps the fetches few; the end of the ring, the end of the work and
    // a limit below the burst make shorter ones.
    const auto count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>({FetchDescriptors, limit, unfetched_, size - fetch_}));
    if (count == 0 || count > room) return std::nullopt;
    const Fetch fetch{base + std::uint64_t{fetch_} * DescriptorBytes, count, fetch_,
                      popped_ + entries_.size()};
    entries_.resize(entries_.size() + count);
    unfetched_ -= count;
    fetch_ = (fetch_ + count) % size;
    return fetch;
}

void DescriptorQueue::arrived(std::uint64_t sequence, std::span<const std::uint8_t> bytes) {
    for (; bytes.size() >= DescriptorBytes; bytes = bytes.subspan(DescriptorBytes)) {
        Entry& entry = entries_[sequence++ - popped_];
        entry = {decode(bytes.first<DescriptorBytes>()), true};
    }
}

const Descriptor* DescriptorQueue::front() const {
    return !entries_.empty() && entries_.front().there ? &entries_.front().descriptor : nullptr;
}

void DescriptorQueue::pop() {
    entries_.pop_front();
    ++popped_;
    --pending_;
    if (++head_ < size) return;
    head_ = 0;
    ++head_wraps_;
}

}  // namespace trnsim::tlm::dma
