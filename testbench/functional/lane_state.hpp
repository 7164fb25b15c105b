// The state that the Vector and Scalar engines keep from one instruction to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/numerics/xorwow.hpp"
#include "compiler/neff/package.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::functional {

inline constexpr std::uint8_t KeepRow = 255;  // entry of the shuffle mask: the row is not written

// The core's rounding control: sr_control and sr_seed.
struct RoundingControl {
    bool stochastic = false;  // meaning of Rounding::Core
    std::uint32_t seed = 0;
};

// The state after reset, with the given rounding control of the core. `engine` is Vector or Scalar.
struct LaneState {
    LaneState(const target::Core& target, isa::Engine engine, RoundingControl control = {})
        : stochastic(control.stochastic),
          accumulators(static_cast<std::size_t>(target.partitions)),
          rounding(
              numerics::generators(static_cast<numerics::Stream>(engine), accumulators.size(), control.seed)),
          random(numerics::generators(numerics::Stream::VectorRandom, accumulators.size(), 0)),
          shuffle_mask(accumulators.size() / 4, KeepRow) {}

    bool stochastic;
    std::vector<float> accumulators;         // by lane, like the generators
    std::vector<numerics::Xorwow> rounding;  // stream numbers of rounding are the engines' codes
    std::vector<numerics::Xorwow> random;    // Vector: rng and dropout
    std::vector<std::uint8_t> shuffle_mask;  // Vector: by row of a quadrant
    isa::ActivationSet table_set = isa::ActivationSet::None;  // Scalar
};

}  // namespace trnsim::functional
