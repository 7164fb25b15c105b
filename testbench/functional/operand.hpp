// Operands of an instruction: which elements they name, and their values.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/builder/overlap.hpp"
#include "isa/instruction.hpp"
#include "testbench/functional/core_memory.hpp"

namespace trnsim::functional {

enum class Role : std::uint8_t { Dst, A, B };

struct Operand {
    std::uint32_t address = 0;  // of the first element in the first partition
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::uint32_t partitions = 0;
    std::vector<std::int64_t> offsets;  // bytes from `address` of each element of a partition, in order
};

// `partitions`: how many the operand has; for the dst of a matmul they are the columns. Throws Error for a
// count of 0 and an undefined type.
Operand operand_of(const isa::Instruction& instruction, const target::Core& target, Role role,
                   std::uint32_t partitions);

// Partitions of an operand: `columns` for the result of a matmul, the elements of a block for that of a
// transpose_block of one block, else the instruction's.
std::uint32_t operand_partitions(const isa::Instruction& instruction, const target::Core& target, Role role);

// Consecutive bytes that an operand has in every partition.
struct Run {
    std::int64_t offset;  // from the operand's address
    std::uint32_t bytes;
};
// All bytes of an operand's elements in a partition, each once, ascending.
std::vector<Run> runs_of(const Operand& operand);

// The same as an element pattern of the builder. Throws Error as well for an address in neither memory.
builder::ElementPattern pattern_of(const isa::Instruction& instruction, const target::Core& target,
                                   Role role);

// Whether transpose_block takes its operand as one block of at most Lanes/4 x Lanes/4.
bool is_single_block(const isa::Instruction& instruction, const target::Core& target);

// The [partitions,1] operands the instruction reads in place of constants.
std::vector<Operand> vector_operands(const isa::Instruction& instruction);

// Core-window address of the byte at `offset` from the operand's first element, in a partition of it; of
// element `index`.
std::uint32_t address_at(const target::Core& target, const Operand& operand, std::uint32_t partition,
                         std::int64_t offset);
std::uint32_t element_address(const target::Core& target, const Operand& operand, std::uint32_t partition,
                              std::size_t index);

// Storage bits of one partition's elements, and writing them back.
std::vector<std::uint32_t> read_partition(const CoreMemory& memory, const target::Core& target,
                                          const Operand& operand, std::uint32_t partition);
void write_partition(CoreMemory& memory, const target::Core& target, const Operand& operand,
                     std::uint32_t partition, const std::vector<std::uint32_t>& bits);

}  // namespace trnsim::functional
