// Finds whether a destination overlaps a source of its instruction so that docs/instruction-semantics.md
// leaves the result undefined, by going through the elements.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/target/memory.hpp"
#include "isa/operands.hpp"

namespace trnsim::functional {

// The places of an operand's elements in each of its partitions.
struct Places {
    target::Memory memory = target::Memory::Sbuf;
    std::uint32_t partition = 0;  // the first one
    std::uint32_t bytes = 1;      // size of an element
    isa::Counts counts{1, 1, 1, 1};
    std::vector<std::int64_t> offsets;  // bytes from the start of the partition, in element order
};

// Returns whether what the instruction writes depends on how far its reads are ahead of its writes.
bool overlap_is_undefined(const Places& dst, const Places& source);

}  // namespace trnsim::functional
