// The golden matrix product, with every rounding of the tensor engine and its PSUM accumulation in the same
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arch/numerics/format.hpp"

namespace trnsim::numerics {

struct MatmulShape {
    std::size_t m;  // columns of the stationary operand
    std::size_t n;  // columns of the moving operand
    std::size_t k;  // contraction
};

// C[m,n] = sum over k of a[k,m] * b[k,n], row-major. a is the stationary operand and b the moving one, both
// of `format` (floating point), as storage bits right-aligned in 32-bit words. The contraction is cut into
// tiles of `rows` (the array's rows; the last tile may be short), in ascending order. Within a tile each
// result is a chain of fma_step over the tile's rows from +0; the first tile's chain overwrites PSUM, the
// next ones are added with one fp32 addition. fp32 operands take four passes a tile: low*low, low*high,
// high*low, high*high, the part of a named first; only the first overwrites. Throws std::invalid_argument if
// a span does not fit the shape or rows is 0.
std::vector<float> tensor_matmul_reference(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                           MatmulShape shape, Format format, std::size_t rows);

}  // namespace trnsim::numerics
