// The cutting of the mlp kernel so that it fits a target.
#pragma once

#include <cstdint>

#include "compiler/kernels/blocking.hpp"

namespace trnsim::kernels {

struct MlpShape {
    std::uint64_t batch = 1, inputs = 1, hidden = 1, outputs = 1;
    isa::Dtype dtype = isa::Dtype::Fp32;
};

// The plan of both layers: matmuls with the weights stationary and `batch_tile` samples moving.
struct MlpPlan {
    std::uint32_t batch_tile = 1;
    Blocking first, second;

    std::uint64_t hidden_tiles() const { return second.cut.tiles(); }
    std::uint64_t batch_tiles(const MlpShape& shape) const { return div_up(shape.batch, batch_tile); }
};

// Weights stay in SBUF if they fit, otherwise they stream once a batch tile. Throws builder::Error when one
// sample does not fit.
MlpPlan plan_mlp(const MlpShape& shape, const target::Core& target, std::uint64_t sbuf);

}  // namespace trnsim::kernels
