// Linear least squares with a penalty on the weights.
#pragma once

#include <cstddef>
#include <vector>

namespace trnsim::demo {

// Returns the weights W [features, targets] that minimise |X W - T|^2 + penalty |W|^2, row-major: X [samples,
// features], T [samples, targets]. The sums are in sample order in double, so that the result is the same
// everywhere.
std::vector<double> ridge(const std::vector<double>& x, const std::vector<double>& t, std::size_t features,
                          std::size_t targets, double penalty);

}  // namespace trnsim::demo
