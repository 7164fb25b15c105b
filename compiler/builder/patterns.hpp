// Tiles and tensor views as the address patterns of instructions and transfers.
#pragma once

#include "compiler/builder/tensor_view.hpp"
#include "compiler/builder/tile.hpp"
#include "compiler/neff/package.hpp"
#include "isa/operands.hpp"

namespace trnsim::builder {

// Sets count0..3 from the axes of a checked tile, which has at most four.
void set_shape(isa::Instruction& instruction, const Tile& tile);

// Sets address, type and steps.
void set_operand(isa::Instruction& instruction, isa::Role role, const target::Core& target, const Tile& tile);

// Returns the beginning of a view in each iteration of its loop.
neff::Pattern first_element(const TensorView& view);

// The two sides of a transfer between a tensor and a tile.
struct PatternPair {
    neff::Pattern tensor, core;
};

// The partitions are the outermost dimension; neighbouring axes that are contiguous on both sides become
// one. Throws Error when counts or types differ or more than four dimensions remain.
PatternPair transfer_patterns(const target::Core& target, const Tile& tile, const TensorView& view);

// Makes the transfer combine; bypass leaves it as it is. Throws Error for an operation that DMA engines do
// not have.
void combine_by(neff::Transfer& transfer, isa::AluOp op, isa::Dtype dtype);

}  // namespace trnsim::builder
