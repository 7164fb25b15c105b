// `run --expect`: outputs beside arrays of the user's.
#pragma once

#include <string>

#include "base/npy/npy.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::cli {

// An element agrees when |found - expected| <= absolute + relative * |expected|, as numpy.allclose has it;
// NaN agrees with NaN, an infinity with itself.
struct Tolerance {
    double relative = 1e-5, absolute = 1e-8;
};

// Throws std::runtime_error when the array cannot be what an output is compared with: another shape, or a
// type whose values are not known.
void check_expectation(const neff::Tensor& tensor, const npy::Array& expected);

// What is wrong with an output, on one line: how many elements and the worst of them; empty: nothing.
std::string disagreement(const neff::Tensor& tensor, const npy::Array& found, const npy::Array& expected,
                         const Tolerance& tolerance);

}  // namespace trnsim::cli
