// The parts of their memory that tiles and tensor views occupy, for comparing accesses.
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

// A part of a memory as a plane. On the chip the axes are bytes of a partition and partitions. For a tensor
// in HBM they are rows, which are runs of its innermost dimension (for a vector its elements), and bytes of a
// row.
struct Box {
    Span along, across;
};

// Boxes that hold every byte of an access. `exact` is true if they hold nothing else.
struct Footprint {
    std::vector<Box> boxes;
    bool exact = true;
};

Footprint footprint_of(const Tile& tile);

// `row` is the bytes of a row of the view's tensor.
Footprint footprint_of(const TensorView& view, std::uint64_t row);

}  // namespace trnsim::builder
