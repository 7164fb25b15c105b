// Random contents of a kernel's inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/neff/package.hpp"
#include "runtime/loader/content.hpp"

namespace trnsim::trial {

// Returns the tensor's bytes, the same on every machine. Floating point is uniform in [-2, 2) before it is
// rounded to the type; it is in [0, 2) when the kernel updates the tensor, as the tensor may hold second
// moments. Integers are labels: uniform below the last extent of the package's first tensor.
std::vector<std::uint8_t> random_input(const neff::Package& package, const neff::Tensor& tensor,
                                       std::uint64_t seed);
// Does the same with bytes that are made when they are needed. `package` must outlive the content.
loader::Content random_content(const neff::Package& package, const neff::Tensor& tensor, std::uint64_t seed);

}  // namespace trnsim::trial
