// Normalisation of rows.
#pragma once

#include "compiler/kernels/kernel.hpp"
#include "compiler/kernels/kit.hpp"

namespace trnsim::kernels {

// Arguments rows, cols, dtype, eps; x [rows, cols] in dtype, gamma and beta [cols] in fp32 -> y like x.
// y = (x - mean) / sqrt(variance + eps) gamma + beta. bn_stats and bn_aggr compute mean and variance, Scalar
// 1 / sqrt, Vector the rest; intermediate results are fp32. Rows that do not fit SBUF are read twice, in
// chunks.
extern const Kernel LayernormKernel;

// Arguments rows, cols, dtype, eps; x [rows, cols] in dtype, gamma [cols] in fp32 -> y like x.
// y = x / sqrt(mean(x^2) + eps) gamma. Squares and their sums are computed on Scalar.
extern const Kernel RmsnormKernel;

// Emit the same as parts of larger kernels.
void emit_layernorm(Kit& kit, const builder::TensorView& x, const builder::TensorView& gamma,
                    const builder::TensorView& beta, const builder::TensorView& y, float eps);

}  // namespace trnsim::kernels
