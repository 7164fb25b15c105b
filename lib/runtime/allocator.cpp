#include "lib/runtime/allocator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lib/runtime/error.hpp"

namespace trnsim::runtime {

Allocator::Allocator(const config::Hbm& hbm) : capacity_(hbm.capacity), allocated_(hbm.stacks, 0) {}

std::uint64_t Allocator::allocate(std::uint64_t bytes, std::uint64_t align, std::string_view what) {
    const auto stack = std::ranges::min_element(allocated_);
    const std::uint64_t begin = (*stack + align - 1) & ~(align - 1);
    const std::uint64_t left = begin > capacity_ ? 0 : capacity_ - begin;
    if (left < bytes) {
        throw Error(fmt::format(
            "HBM is too small: {} needs {} bytes, {} stacks of {} bytes have at most {} left in one", what,
            bytes, allocated_.size(), capacity_, left));
    }
    *stack = begin + bytes;
    return static_cast<std::uint64_t>(stack - allocated_.begin()) * HbmStackStride + begin;
}

std::uint64_t Allocator::used() const {
    return std::accumulate(allocated_.begin(), allocated_.end(), std::uint64_t{0});
}

}  // namespace trnsim::runtime
