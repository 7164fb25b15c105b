#include "compiler/schedule/memory.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace trnsim::schedule {

std::optional<std::uint64_t> fit(std::uint64_t first, std::uint64_t end, std::uint64_t size,
                                 std::uint64_t start, std::uint64_t line) {
    std::uint64_t at = (std::max(first, start) + Alignment - 1) / Alignment * Alignment;
    if (line != 0 && at % line != 0 && at / line != (at + size - 1) / line) at = (at / line + 1) * line;
    return at + size <= end ? std::optional(at) : std::nullopt;
}

Turns::Turns(std::uint64_t first, std::uint64_t line)
    : line_(line), gaps_{{first, std::numeric_limits<std::uint64_t>::max()}} {}

std::optional<std::uint64_t> Turns::find(std::uint64_t size, std::uint64_t limit, std::uint64_t start) const {
    auto gap = gaps_.upper_bound(start);
    if (gap != gaps_.begin()) --gap;
    for (; gap != gaps_.end() && gap->first < limit; ++gap)
        if (const auto at = fit(gap->first, std::min(gap->second, limit), size, start, line_)) return at;
    return std::nullopt;
}

std::optional<std::uint64_t> Turns::take(std::uint64_t size, std::uint64_t limit, std::uint32_t now,
                                         std::uint32_t last) {
    for (; !taken_.empty() && taken_.top().last < now; taken_.pop())
        give_back(taken_.top().first, taken_.top().end);
    auto at = find(size, limit, next_);
    if (!at) at = find(size, limit, 0);
    if (!at) return std::nullopt;
    next_ = line_ != 0 ? (*at / line_ + 1) * line_ : *at + size;
    const auto gap = std::prev(gaps_.upper_bound(*at));
    const std::uint64_t end = gap->second;
    if (gap->first == *at) {
        gaps_.erase(gap);
    } else {
        gap->second = *at;
    }
    if (*at + size < end) gaps_.emplace(*at + size, end);
    taken_.push({last, *at, *at + size});
    return at;
}

void Turns::give_back(std::uint64_t first, std::uint64_t end) {
    auto next = gaps_.lower_bound(first);
    if (next != gaps_.end() && next->first == end) {
        end = next->second;
        next = gaps_.erase(next);
    }
    if (next != gaps_.begin() && std::prev(next)->second == first) {
        std::prev(next)->second = end;
    } else {
        gaps_.emplace(first, end);
    }
}

}  // namespace trnsim::schedule
