// `run --expect`: compares outputs with arrays of the user.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/npy/npy.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::cli {

// An element agrees when |found - expected| <= absolute + relative * |expected|, like in numpy.allclose; NaN
// agrees with NaN, an infinity with itself.
struct Tolerance {
    double relative = 1e-5, absolute = 1e-8;
};

// Throws std::runtime_error when the array cannot be compared with an output: it has another shape, or a type
// with unknown values.
void check_expectation(const neff::Tensor& tensor, const npy::InputFile& expected);

// The mistakes of an output.
struct Disagreement {
    std::string text;       // one line: how many elements are wrong and the worst of them
    std::size_t worst = 0;  // its index in C order
};

// Returns nothing if every element agrees. Reads the file, which has the output's shape.
std::optional<Disagreement> disagreement(const neff::Tensor& tensor, const npy::Array& found,
                                         npy::InputFile& expected, const Tolerance& tolerance);

// Returns an element of an array for an output as text.
std::string element_text(const neff::Tensor& tensor, const npy::Array& array, std::size_t index);

}  // namespace trnsim::cli
