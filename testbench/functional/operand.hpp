// Operands of an instruction: the elements they name, and their values.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/instruction.hpp"
#include "isa/operands.hpp"
#include "testbench/functional/core_memory.hpp"
#include "testbench/functional/overlap.hpp"

namespace trnsim::functional {

using isa::Role;

// The most elements of an operand in a partition, about ten times as many as its bytes: more are the same
// elements again and again.
inline constexpr std::uint64_t MostElements = std::uint64_t{1} << 21;

struct Operand {
    std::uint32_t address = 0;  // address of the first element in the first partition
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::uint32_t partitions = 0;
    std::vector<std::int64_t> offsets;  // bytes from `address` of each element of a partition, in order
    isa::Counts counts{1, 1, 1, 1};     // shape of the elements of a partition
};

// `partitions` is the number of partitions of the operand; for the dst of a matmul they are the columns.
// Throws Error for an undefined type and for more than MostElements elements in a partition.
Operand operand_of(const isa::Instruction& instruction, const target::Core& target, Role role,
                   std::uint32_t partitions);

// Returns the number of partitions of an operand: `columns` for the result of a matmul, the elements of a
// block for the result of a transpose_block of one block, else the instruction's.
std::uint32_t operand_partitions(const isa::Instruction& instruction, const target::Core& target, Role role);

// A run of consecutive bytes that an operand has in every partition.
struct Run {
    std::int64_t offset;  // bytes from the operand's address
    std::uint32_t bytes;
};
// Returns all bytes of an operand's elements in a partition, each once, ascending.
std::vector<Run> runs_of(const Operand& operand);

// Returns the places of an operand's elements. Throws Error for an address in neither memory.
Places places_of(const target::Core& target, const Operand& operand);

// Returns whether transpose_block takes its operand as one block of at most Lanes/4 x Lanes/4.
bool is_single_block(const isa::Instruction& instruction, const target::Core& target);

// Returns the [partitions,1] operands that the engine reads in place of constants.
std::vector<Operand> vector_operands(isa::Engine engine, const isa::Instruction& instruction);

// Return the core-window address, in one partition, of the byte at `offset` from the operand's first element,
// or of element `index`.
std::uint32_t address_at(const target::Core& target, const Operand& operand, std::uint32_t partition,
                         std::int64_t offset);
std::uint32_t element_address(const target::Core& target, const Operand& operand, std::uint32_t partition,
                              std::size_t index);

// Returns the storage bits of one partition's elements.
std::vector<std::uint32_t> read_partition(const CoreMemory& memory, const target::Core& target,
                                          const Operand& operand, std::uint32_t partition);

}  // namespace trnsim::functional
