// HBM addresses for what a kernel needs. Nothing is given back: a run allocates once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/config/config.hpp"

namespace trnsim::runtime {

constexpr std::uint64_t HbmStackStride = 0x10'0000'0000;  // system addresses of the stacks

class Allocator {
  public:
    explicit Allocator(const config::Hbm& hbm);

    // A block of `bytes` within the stack that has least in it, the first of several, so that all of them are
    // at work; `align` is a power of two. Throws Error that names `what` and the sizes when no stack has
    // room.
    std::uint64_t allocate(std::uint64_t bytes, std::uint64_t align, std::string_view what);

    std::uint64_t used() const;  // bytes, alignment gaps included

  private:
    std::uint64_t capacity_;                // of a stack
    std::vector<std::uint64_t> allocated_;  // from the beginning of each stack
};

}  // namespace trnsim::runtime
