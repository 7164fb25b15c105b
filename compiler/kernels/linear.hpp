// The product of row-major matrices, with the bias, function and residual of a layer.
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

// Blocks of x are transposed on the Tensor engine, so that the rows of y are the matmul's columns. K tiles
// accumulate in PSUM in ascending order. Weights stay in SBUF if they fit.
void emit_linear(Kit& kit, const Linear& layer);
// The layers may differ only in the rows of x and y, by first row and number of rows: weights are loaded once
// if they fit.
void emit_linear(Kit& kit, std::span<const Linear> layers);

}  // namespace trnsim::kernels
