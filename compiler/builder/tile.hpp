// Tensors in SBUF and PSUM.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/target/memory.hpp"
#include "compiler/builder/resources.hpp"
#include "compiler/builder/where.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::builder {

// A free dimension: `count` elements, `step` elements apart.
struct Axis {
    std::uint32_t count = 1;
    std::int64_t step = 1;
    bool operator==(const Axis&) const = default;
};

// An on-chip tensor of shape [partitions, axes...]: the same pattern of elements in every partition, the
// outermost axis first. Tiles are views: slices refer to the same memory. Axes are numbered from 0, the
// partition axis not counted.
struct Tile {
    target::Memory memory = target::Memory::Sbuf;
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::uint32_t partition = 0;   // the first partition
    std::uint32_t partitions = 0;  // number of partitions
    std::uint32_t offset = 0;      // bytes, within each partition
    std::vector<Axis> axes;
    BuilderNumber builder = NoBuilder;
    // A buffer without a place (step.hpp), counted from 1: `offset` counts from its first byte. 0: the tile
    // has a place of its own.
    std::uint32_t buffer = 0;

    // Return elements first .. first + count - 1 of an axis, or of the partitions, or one index of an axis,
    // which disappears. Throw Error outside the tile.
    Tile slice(std::size_t axis, std::uint32_t first, std::uint32_t count,
               const Where& where = Where::current()) const;
    Tile partition_slice(std::uint32_t first, std::uint32_t count,
                         const Where& where = Where::current()) const;
    Tile at(std::size_t axis, std::uint32_t index, const Where& where = Where::current()) const;

    // Returns the elements of one partition.
    std::uint64_t elements() const;
    // Return the lowest byte of a partition that the tile touches, and the byte after the highest one.
    std::uint64_t first_byte() const;
    std::uint64_t end_byte() const;

    // Returns whether no byte of a partition is in both, from first_byte() to end_byte().
    bool is_apart_from(const Tile& other) const;

    std::string describe() const;  // "SBUF bf16 [128, 4, 512] at partition 0 + 0x400"
};

// Returns the axes of a densely packed tile; the innermost axis is last in `shape`.
std::vector<Axis> packed_axes(const std::vector<std::uint32_t>& shape);

}  // namespace trnsim::builder
