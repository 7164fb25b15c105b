// The decoded fields of a Tensor instruction that affect its timing (rtl/tensor/tensor_decode.sv).
#pragma once

#include <array>
#include <cstdint>

#include "arch/config/config.hpp"
#include "arch/cost/element_operation.hpp"

namespace trnsim::cost {

inline constexpr unsigned TensorStreams = isa::array::RowGroups * isa::array::ColumnGroups;

struct TensorCommand {
    bool load = false;  // load_stationary, else multiply_moving
    bool row_tile = false, column_tile = false;
    unsigned stream = 0;                  // column group * RowGroups + row group
    bool low = false, other_low = false;  // this operand, the stationary one of a matmul, has low parts
    std::uint32_t columns = 0;
    Counts count{};
    Steps step{};
    unsigned bytes = 4;  // bytes of an element
    std::uint32_t offset = 0;
    bool wide = false;  // a read takes two cycles
    // The place of the results.
    std::uint32_t bank = 0, first = 0;  // bank of PSUM, first partition
};

// Sets all members except other_low, which another instruction decides.
TensorCommand decode_tensor(isa::InstructionView bytes, const config::Core& core, const Geometry& geometry);

}  // namespace trnsim::cost
