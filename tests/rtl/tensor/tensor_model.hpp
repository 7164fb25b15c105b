// The effect of the Tensor engine on PSUM, in program order and without time, in host arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/numerics/format.hpp"
#include "isa/instruction.hpp"

namespace trnsim::test {

struct TensorModel {
    TensorModel(unsigned rows, unsigned columns, unsigned lanes, unsigned sbuf_bytes, unsigned psum_bytes);

    std::vector<std::vector<std::uint8_t>> sbuf;  // [partition][byte]
    std::vector<std::vector<float>> psum;         // [partition][word]

    void execute(const isa::Instruction& instruction);

  private:
    // The stationary operand of one row of the array, or a column group's part of it.
    struct Weights {
        isa::Dtype dtype{};
        bool low = false;                 // it has low parts
        std::vector<std::uint32_t> bits;  // [column]
    };

    void load(const isa::Instruction& instruction);
    void multiply(const isa::Instruction& instruction);
    std::uint32_t element(unsigned partition, std::int64_t byte, isa::Dtype dtype) const;

    unsigned rows_, columns_, lanes_;
    std::array<std::vector<Weights>, isa::array::ColumnGroups>
        weights_;  // [column group][row]; whole rows use the first group
};

// Returns the element offsets of an operand's pattern, in order.
std::vector<std::int64_t> offsets(const isa::Instruction& instruction, bool dst);

}  // namespace trnsim::test
