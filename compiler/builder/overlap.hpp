// Destinations that overlap a source of their instruction: docs/instruction-semantics.md says where the
// result is defined.
#pragma once

#include <array>

#include "arch/target/memory.hpp"
#include "compiler/builder/tile.hpp"

namespace trnsim::builder {

// The elements of an operand in each of its partitions, dimensions innermost first.
struct ElementPattern {
    target::Memory memory = target::Memory::Sbuf;
    std::uint32_t partition = 0;  // the first partition
    std::int64_t offset = 0;      // bytes, to the first element
    std::uint32_t bytes = 1;      // bytes of an element
    std::array<Axis, 4> axes{};
    std::uint32_t buffer = 0;  // Tile::buffer
};

// `tile` has at most four axes.
ElementPattern pattern_of(const Tile& tile);

// Returns whether the result of the instruction depends on the distance of its reads and writes in time. Both
// patterns lie within their memory and start at partitions that their number allows.
bool overlap_is_undefined(const ElementPattern& dst, const ElementPattern& source);

}  // namespace trnsim::builder
