// The operands of an instruction and the elements that they name.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "isa/operands.hpp"
#include "model/values/memory.hpp"

namespace trnsim::fast {

using isa::Counts;
using isa::Steps;

struct Axis {
    std::uint32_t count = 1;
    std::int32_t step = 0;  // bytes
};

struct Operand {
    MemoryAddress first;  // place of the first element, in the first partition
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::uint32_t size = 4;  // bytes of an element
    std::uint32_t partitions = 0;
    std::uint64_t elements = 1;  // a partition
    std::array<Axis, 4> axes;    // innermost first; axes that continue each other are merged
    bool dense = true;           // every element follows the previous one

    MemoryAddress row(std::uint32_t partition) const {
        return {first.memory, first.partition + partition, first.offset};
    }
};

// Makes an operand; its place and size need not be checked yet. `steps` are in elements.
Operand make_operand(MemoryAddress first, isa::Dtype dtype, std::uint32_t partitions, const Counts& counts,
                     const Steps& steps);

// Iterates over the elements of a partition in order.
class Walk {
  public:
    explicit Walk(const Operand& operand) : axes_(operand.axes) {}
    // Gives the places of the next elements, in bytes from the first.
    void next(std::span<std::int32_t> offsets);

  private:
    std::array<Axis, 4> axes_;
    Counts at_{};
};

// Copy elements of `size` bytes (1, 2, 4) between their places and a buffer.
void gather(const std::uint8_t* first, std::span<const std::int32_t> offsets, std::uint32_t size,
            std::uint8_t* to);
void scatter(const std::uint8_t* from, std::span<const std::int32_t> offsets, std::uint32_t size,
             std::uint8_t* first);

}  // namespace trnsim::fast
