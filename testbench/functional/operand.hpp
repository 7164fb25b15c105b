// Operands of an instruction: which elements they name, and their values.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/functional/core_memory.hpp"
#include "testbench/isa/instruction.hpp"

namespace trnsim::functional {

enum class Role : std::uint8_t { Dst, A, B };

struct Operand {
    std::uint32_t address = 0;  // of the first element in the first partition
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::uint32_t partitions = 0;
    std::vector<std::int64_t> offsets;  // bytes from `address` of each element of a partition, in order
};

// `partitions`: how many the operand has; for the dst of a matmul they are the columns.
Operand operand_of(const isa::Instruction& instruction, Role role, std::uint32_t partitions);

// Storage bits of one partition's elements, and writing them back.
std::vector<std::uint32_t> read_partition(const CoreMemory& memory, const neff::Target& target,
                                          const Operand& operand, std::uint32_t partition);
void write_partition(CoreMemory& memory, const neff::Target& target, const Operand& operand,
                     std::uint32_t partition, const std::vector<std::uint32_t>& bits);

}  // namespace trnsim::functional
