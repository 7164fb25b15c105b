// What tiles and tensor views occupy of their memory, for comparing accesses.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/builder/tensor_view.hpp"
#include "compiler/builder/tile.hpp"

namespace trnsim::builder {

struct Span {
    std::uint64_t first = 0, end = 0;

    bool meets(const Span& other) const { return first < other.end && other.first < end; }
    bool contains(const Span& other) const { return first <= other.first && other.end <= end; }
};

// A memory as a plane. On the chip: bytes of a partition, and partitions. Of a tensor in HBM: rows, which are
// runs of its innermost dimension (of a vector its elements), and bytes of a row.
struct Box {
    Span along, across;
};

// Boxes that hold every byte of an access. `exact`: they hold nothing else.
struct Footprint {
    std::vector<Box> boxes;
    bool exact = true;
};

Footprint footprint_of(const Tile& tile);

// `row`: bytes of the rows of the view's tensor.
Footprint footprint_of(const TensorView& view, std::uint64_t row);

}  // namespace trnsim::builder
