// The operands that the hardware accepts; each check throws Error that names the instruction, the operand and
// the broken rule.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/builder/tile.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::builder {

// Checks the address range, the element alignment, and at most four axes of 1 to 65535 elements with steps of
// 16 signed bits.
void check_operand(const target::Core& target, std::string_view instruction, const Tile& tile);

// Checks the partition starts of Vector, Scalar and GpSimd operands: more than half of the partitions start
// at 0, more than a quarter at 0 or the half, others at a quarter.
void check_partition_start(const target::Core& target, std::string_view instruction, const Tile& tile);

// Returns the partitions at which so many partitions may start.
std::vector<std::uint32_t> start_partitions(const target::Core& target, std::uint32_t partitions);

// Checks operands of the Tensor engine: SBUF, float, start at row 0, or with `row_tile` at that of a row
// group and within that half.
void check_array_rows(const target::Core& target, std::string_view instruction, const Tile& tile,
                      bool row_tile);

// Checks for fp32 in PSUM, within one bank, and the partition start.
void check_accumulator(const target::Core& target, std::string_view instruction, const Tile& tile);

// Checks for the same number of partitions, and of elements axis by axis.
void check_same_shape(std::string_view instruction, const Tile& one, const Tile& other);

// Checks for a [partitions, 1] operand in SBUF, of one of the types.
void check_per_partition(const target::Core& target, std::string_view instruction, const Tile& tile,
                         std::uint32_t partitions, std::span<const isa::Dtype> types);

}  // namespace trnsim::builder
