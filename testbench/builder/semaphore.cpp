#include "testbench/builder/semaphore.hpp"

#include <fmt/format.h>

#include "testbench/builder/error.hpp"

namespace trnsim::builder {

std::uint8_t SemaphorePool::take() {
    if (taken_ == Count) throw Error(fmt::format("the kernel needs more than {} semaphores", Count));
    return static_cast<std::uint8_t>(taken_++);
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

}  // namespace trnsim::builder
