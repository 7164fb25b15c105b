// Allocation of the on-chip memories.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/builder/resources.hpp"
#include "compiler/builder/tile.hpp"

namespace trnsim::builder {

// Hands out bytes of the SBUF partitions, from 0 upwards, the same range in every partition.
class SbufAllocator {
  public:
    static constexpr std::uint32_t Align = 64;  // bytes; every tile starts at a multiple of them

    explicit SbufAllocator(const target::Core& target) : target_(target) {}

    // Returns a packed tile [partitions, shape...] from partition 0. Throws Error, which names the bytes
    // left, when it does not fit.
    Tile tile(std::uint32_t partitions, isa::Dtype dtype, const std::vector<std::uint32_t>& shape);

    // Tiles handed out since `mark` are free again. The caller makes sure that nothing uses them any more.
    std::uint64_t mark() const { return used_; }
    void release(std::uint64_t mark) { used_ = mark; }

    // Returns the bytes left in each partition.
    std::uint64_t left() const { return target_.sbuf_partition - used_; }

    // Returns the bytes that a tile of `bytes` a partition takes.
    static std::uint64_t rounded(std::uint64_t bytes) { return (bytes + Align - 1) / Align * Align; }

  private:
    target::Core target_;
    std::uint64_t used_ = 0;
};

// Returns an fp32 tile [partitions, columns] at the start of a PSUM bank. Throws Error for a bank that does
// not exist or is too small.
Tile psum_tile(const target::Core& target, Bank bank, std::uint32_t partitions, std::uint32_t columns);

}  // namespace trnsim::builder
