// Matrix product of row-major matrices, with what a layer adds to it.
#pragma once

#include <optional>
#include <span>

#include "compiler/kernels/transposer.hpp"

namespace trnsim::kernels {

// y [m, n] = f(x w + bias) + residual; x [m, k] and w [k, n] of one type.
struct Linear {
    builder::TensorView x, w, y;
    std::optional<builder::TensorView> bias;      // [n] fp32
    std::optional<builder::TensorView> residual;  // [m, n]
    bool gelu = false;
};

// Blocks of x are turned on the Tensor engine, so that the rows of y are the matmul's columns. K tiles
// accumulate in PSUM in ascending order. Weights stay in SBUF when they fit.
void emit_linear(Kit& kit, const Linear& layer);
// Layers that differ in x and y only, and there in the first row and the number of rows: weights are loaded once where
// they fit.
void emit_linear(Kit& kit, std::span<const Linear> layers);

}  // namespace trnsim::kernels
