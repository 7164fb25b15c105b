#include "compiler/builder/semaphore.hpp"

#include <fmt/format.h>

#include "compiler/builder/error.hpp"

namespace trnsim::builder {

Semaphore SemaphorePool::take() {
    if (taken_ == count_) throw Error(fmt::format("the kernel needs more than {} semaphores", Count));
    return {static_cast<std::uint8_t>(taken_++)};
}

Point Counter::advance(std::uint32_t amount) {
    if (amount > max_value_) throw Error(fmt::format("semaphore step {} is above {}", amount, max_value_));
    if (!used_ || point_.value > max_value_ - amount) {
        point_ = {pool_->take(), 0};
        used_ = true;
    }
    point_.value += amount;
    return point_;
}

TransferCounter::TransferCounter(SemaphorePool& pool, std::uint32_t semaphores, std::uint32_t shares)
    : shares_(shares) {
    for (std::uint32_t i = 0; i < semaphores; ++i) semaphores_.push_back(pool.take());
}

Point TransferCounter::completion(std::uint64_t index) const {
    const std::uint64_t value = (index / semaphores_.size() + 1) * shares_;
    if (value > Counter::MaxValue) {
        throw Error(fmt::format("transfer {} of a queue: its semaphore would count to {}, at most {}", index,
                                value, Counter::MaxValue));
    }
    return {semaphores_[index % semaphores_.size()], static_cast<std::uint32_t>(value)};
}

}  // namespace trnsim::builder
