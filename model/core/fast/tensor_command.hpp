// What the timing of a Tensor instruction depends on, decoded (rtl/tensor/tensor_decode.sv).
#pragma once

#include <array>
#include <cstdint>

#include "arch/checkpoint/core_state.hpp"
#include "arch/config/config.hpp"
#include "model/core/fast/element_operation.hpp"

namespace trnsim::tlm::core_fast {

inline constexpr unsigned TensorStreams = isa::array::RowGroups * isa::array::ColumnGroups;

struct TensorCommand {
    bool load = false;  // load_stationary, else multiply_moving
    bool row_tile = false, column_tile = false;
    unsigned stream = 0;                  // column group * RowGroups + row group
    bool low = false, other_low = false;  // this operand, the stationary one of a matmul, has low parts
    std::uint32_t columns = 0;
    Counts count{};
    Steps step{};
    unsigned bytes = 4;  // of an element
    std::uint32_t offset = 0;
    bool wide = false;  // a read takes two cycles
    // Where the results go
    std::uint32_t bank = 0, first = 0;  // of PSUM, partition
};

// Takes the instructions in order, as a matmul goes with what has been loaded.
class TensorDecoder {
  public:
    TensorDecoder(const config::Core& core, const Geometry& geometry);
    TensorCommand next(const InstructionBytes& bytes);
    void load(const checkpoint::CoreState& state);

  private:
    Geometry geometry_;
    std::uint32_t group_rows_, bank_bytes_;
    std::array<bool, TensorStreams> low_{};  // of what is loaded
};

}  // namespace trnsim::tlm::core_fast
