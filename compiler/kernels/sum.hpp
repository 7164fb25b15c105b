// Sums of matrices as parts of larger kernels.
#pragma once

#include <optional>

#include "compiler/kernels/kit.hpp"

namespace trnsim::kernels {

// y = (a + b) + bias, in fp32, rounded once more to y's type; a, b and y [rows, columns], bias [columns]
// fp32.
void emit_sum(Kit& kit, const builder::TensorView& a, const builder::TensorView& b,
              const std::optional<builder::TensorView>& bias, const builder::TensorView& y);

}  // namespace trnsim::kernels
