#include "runtime/loader/allocator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "runtime/loader/error.hpp"

namespace trnsim::loader {
namespace {

std::uint64_t align_up(std::uint64_t address, std::uint64_t align) {
    return (address + align - 1) & ~(align - 1);
}

}  // namespace

Allocator::Allocator(const config::Hbm& hbm) : capacity_(hbm.capacity), stacks_(hbm.stacks) {
    for (Stack& stack : stacks_) stack.free.emplace(0, capacity_);
}

std::uint64_t Allocator::allocate(std::uint64_t bytes, std::uint64_t align, std::string_view what,
                                  std::optional<std::size_t> stack) {
    std::vector<std::size_t> order(stacks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [this](std::size_t s) { return stacks_[s].used; });
    if (stack) order = {*stack};
    std::uint64_t most = 0;
    for (const std::size_t s : order) {
        if (const auto address = take(s, bytes, align)) return *address;
        most = std::max(most, room(s, align));
    }
    throw Error(
        fmt::format("HBM is too small: {} needs {} bytes, {} stacks of {} bytes have at most {} left in one",
                    what, bytes, stacks_.size(), capacity_, most),
        Status::Resource);
}

std::optional<std::uint64_t> Allocator::take(std::size_t index, std::uint64_t bytes, std::uint64_t align) {
    Stack& stack = stacks_[index];
    for (const auto& [begin, end] : stack.free) {
        const std::uint64_t at = align_up(begin, align);
        // No two blocks may have the same address, not even empty ones.
        const std::uint64_t behind = at + std::max<std::uint64_t>(bytes, 1);
        if (behind > end || behind < at) continue;
        const Block block{index, begin, behind};
        if (behind != end) stack.free.emplace(behind, end);
        stack.free.erase(block.begin);
        stack.used += block.end - block.begin;
        const std::uint64_t address = index * HbmStackStride + at;
        blocks_.emplace(address, block);
        return address;
    }
    return std::nullopt;
}

std::uint64_t Allocator::room(std::size_t stack, std::uint64_t align) const {
    std::uint64_t most = 0;
    for (const auto& [begin, end] : stacks_[stack].free)
        most = std::max(most, end - std::min(end, align_up(begin, align)));
    return most;
}

void Allocator::free(std::uint64_t address) {
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) throw std::logic_error(fmt::format("no block at 0x{:x} to free", address));
    auto [index, begin, end] = found->second;
    Stack& stack = stacks_[index];
    stack.used -= end - begin;
    const auto after = stack.free.find(end);
    if (after != stack.free.end()) {
        end = after->second;
        stack.free.erase(after);
    }
    const auto next = stack.free.lower_bound(begin);
    if (next != stack.free.begin() && std::prev(next)->second == begin) {
        std::prev(next)->second = end;
    } else {
        stack.free.emplace(begin, end);
    }
    blocks_.erase(found);
}

std::uint64_t Allocator::used() const {
    return std::accumulate(stacks_.begin(), stacks_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Stack& stack) { return sum + stack.used; });
}

std::uint64_t Allocator::largest() const {
    std::uint64_t most = 0;
    for (std::size_t s = 0; s < stacks_.size(); ++s) most = std::max(most, room(s, 1));
    return most;
}

Blocks::Blocks(Blocks&& other) noexcept
    : allocator_(other.allocator_), addresses_(std::exchange(other.addresses_, {})) {}

Blocks& Blocks::operator=(Blocks&& other) noexcept {
    free_all();
    allocator_ = other.allocator_;
    addresses_ = std::exchange(other.addresses_, {});
    return *this;
}

std::uint64_t Blocks::allocate(std::uint64_t bytes, std::uint64_t align, std::string_view what) {
    addresses_.push_back(allocator_->allocate(bytes, align, what));
    return addresses_.back();
}

void Blocks::free_all() {
    for (const std::uint64_t address : addresses_) allocator_->free(address);
    addresses_.clear();
}

}  // namespace trnsim::loader
