// The contents of a memory where nothing has written: bytes that follow from a seed, the memory's name and
// the address, or zeros without a seed. So a program that reads what it has not written does not find zeros
// by luck (docs/verification.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/perturb/perturb.hpp"

namespace trnsim::tlm::contents {

using Seed = perturb::Seed;  // none: zeros

class RandomContents {
  public:
    RandomContents() = default;  // zeros
    RandomContents(Seed seed, std::string_view memory);

    // Fills `data` with the bytes from `address` on.
    void fill(std::uint64_t address, std::span<std::uint8_t> data) const;

  private:
    bool random_ = false;
    std::uint64_t key_ = 0;
};

}  // namespace trnsim::tlm::contents
