// Operands of an instruction: which elements they name.
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
    Place first;  // of the first element, in the first partition
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::uint32_t size = 4;  // bytes of an element
    std::uint32_t partitions = 0;
    std::uint64_t elements = 1;  // a partition
    std::array<Axis, 4>
        axes;           // innermost first; neighbours of which one goes on where the other ends are one
    bool dense = true;  // every element follows the one before

    Place row(std::uint32_t partition) const {
        return {first.memory, first.partition + partition, first.offset};
    }
};

// Neither the place nor its size has been checked. `steps` in elements.
Operand make_operand(Place first, isa::Dtype dtype, std::uint32_t partitions, const Counts& counts,
                     const Steps& steps);

// Goes through the elements of a partition in order.
class Walk {
  public:
    explicit Walk(const Operand& operand) : axes_(operand.axes) {}
    // Where the next elements stand, in bytes from the first.
    void next(std::span<std::int32_t> offsets);

  private:
    std::array<Axis, 4> axes_;
    Counts at_{};
};

// Elements of `size` bytes (1, 2, 4) between their places and a buffer.
void gather(const std::uint8_t* first, std::span<const std::int32_t> offsets, std::uint32_t size,
            std::uint8_t* to);
void scatter(const std::uint8_t* from, std::span<const std::int32_t> offsets, std::uint32_t size,
             std::uint8_t* first);

}  // namespace trnsim::fast
