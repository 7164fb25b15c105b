#include "testbench/runtime/allocator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "testbench/runtime/error.hpp"

namespace trnsim::runtime {

Allocator::Allocator(const config::Hbm& hbm) : capacity_(hbm.capacity), allocated_(hbm.stacks, 0) {}

std::uint64_t Allocator::allocate(std::uint64_t bytes, std::uint64_t align, std::string_view what) {
    std::uint64_t most = 0;
    for (std::size_t stack = 0; stack < allocated_.size(); ++stack) {
        const std::uint64_t begin = (allocated_[stack] + align - 1) & ~(align - 1);
        if (begin > capacity_) continue;
        most = std::max(most, capacity_ - begin);
        if (capacity_ - begin < bytes) continue;
        allocated_[stack] = begin + bytes;
        return stack * HbmStackStride + begin;
    }
    throw Error(
        fmt::format("HBM is too small: {} needs {} bytes, {} stacks of {} bytes have at most {} left in one",
                    what, bytes, allocated_.size(), capacity_, most));
}

std::uint64_t Allocator::used() const {
    return std::accumulate(allocated_.begin(), allocated_.end(), std::uint64_t{0});
}

}  // namespace trnsim::runtime
