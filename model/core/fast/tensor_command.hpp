// The instructions of the Tensor engine in order (rtl/tensor/tensor_decode.sv).
#pragma once

#include <array>

#include "arch/checkpoint/core_state.hpp"
#include "arch/config/config.hpp"
#include "model/core/fast/decoded.hpp"

namespace trnsim::tlm::core_fast {

// Takes the instructions in order, because a matmul uses the operands that have been loaded.
class TensorDecoder {
  public:
    TensorDecoder(const config::Core& core, const Geometry& geometry) : core_(core), geometry_(geometry) {}
    TensorCommand next(const InstructionBytes& bytes);
    void load(const checkpoint::CoreState& state);

  private:
    config::Core core_;
    Geometry geometry_;
    std::array<bool, TensorStreams> low_{};  // for the loaded operands
};

}  // namespace trnsim::tlm::core_fast
