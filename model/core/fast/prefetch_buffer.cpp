#include "model/core/fast/prefetch_buffer.hpp"

#include <algorithm>

#include "model/core/fast/decoded.hpp"

namespace trnsim::tlm::core_fast {

PrefetchBuffer::Burst PrefetchBuffer::burst() const {
    const std::uint32_t page = figure(Figure::FetchPageInstructions);
    const std::uint32_t beats = std::min(page - static_cast<std::uint32_t>(next_ % page), burst_);
    return running_ && filled_ + in_flight_ + beats <= prefetch_ ? Burst{next_, beats} : Burst{};
}

const FetchedInstruction& PrefetchBuffer::edge(const In& in) {
    const bool discard = in.flush || in.redirect;
    const bool store = in.beat != nullptr && drop_ == 0;
    if (in.pop) head_ = memory_[read_];
    if (store) memory_[write_] = *in.beat;
    in_flight_ += in.burst_taken - (in.beat != nullptr ? 1 : 0);
    if (discard) {
        drop_ = in_flight_;
        filled_ = write_ = read_ = 0;
    } else {
        if (in.beat != nullptr && drop_ != 0) --drop_;
        filled_ += (store ? 1U : 0U) - (in.pop ? 1U : 0U);
        if (store) write_ = write_ + 1 == prefetch_ ? 0 : write_ + 1;
        if (in.pop) read_ = read_ + 1 == prefetch_ ? 0 : read_ + 1;
    }
    if (in.start) {
        running_ = true;
        base_ = next_ = in.base;
    } else if (in.redirect) {
        next_ = base_ + in.target;
    } else {
        next_ += in.burst_taken;
    }
    if (in.flush) running_ = false;
    return head_;
}

}  // namespace trnsim::tlm::core_fast
