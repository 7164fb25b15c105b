#include "arch/numerics/matmul_reference.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "arch/numerics/flush_mode.hpp"

namespace trnsim::numerics {
namespace {

// A block of results whose chains run together in registers.
constexpr std::size_t BlockM = 4;
constexpr std::size_t BlockN = 64;

float canonical(float value) {
    return std::isnan(value) ? float_of(CanonicalNan) : value;
}

// An infinity or NaN takes part in the high*high pass only.
float finite_or_zero(float value) {
    return std::isfinite(value) ? value : 0.0f;
}

std::size_t padded(std::size_t n) {
    return (n + BlockN - 1) / BlockN * BlockN;
}

// One operand of one pass, converted to fp32; rows padded with zeros to a multiple of BlockN.
class Operand {
  public:
    template <typename Convert>
    Operand(std::span<const std::uint32_t> raw, std::size_t k, std::size_t columns, Convert convert)
        : stride_(padded(columns)), values_(k * stride_) {
        for (std::size_t row = 0; row < k; ++row) {
            for (std::size_t i = 0; i < columns; ++i)
                values_[row * stride_ + i] = convert(raw[row * columns + i]);
        }
    }
    const float* at(std::size_t row, std::size_t column) const {
        return values_.data() + row * stride_ + column;
    }
    std::size_t stride() const { return stride_; }

  private:
    std::size_t stride_;
    std::vector<float> values_;
};

// Computes the chains of one block over rows [first, last) into out. The accumulators are local so that they
// live in registers.
void run_chains(const Operand& a, const Operand& b, std::size_t first, std::size_t last, std::size_t m,
                std::size_t n, float (&out)[BlockM][BlockN]) {
    float acc[BlockM][BlockN] = {};
    const float* stationary = a.at(first, m);
    const float* moving = b.at(first, n);
    const std::size_t stationary_stride = a.stride();
    const std::size_t moving_stride = b.stride();
    for (std::size_t k = first; k < last; ++k) {
        for (std::size_t i = 0; i < BlockM; ++i) {
            for (std::size_t j = 0; j < BlockN; ++j)
                acc[i][j] = std::fma(stationary[i], moving[j], acc[i][j]);
        }
        stationary += stationary_stride;
        moving += moving_stride;
    }
    for (std::size_t i = 0; i < BlockM; ++i) {
        for (std::size_t j = 0; j < BlockN; ++j) out[i][j] = acc[i][j];
    }
}

// Makes one pass over rows [first, last) for all results; psum has b's row stride.
[[gnu::noinline]] void run_pass(const Operand& a, const Operand& b, std::size_t first, std::size_t last,
                                MatmulShape shape, bool overwrite, std::vector<float>& psum) {
    float acc[BlockM][BlockN];
    for (std::size_t n = 0; n < shape.n; n += BlockN) {
        for (std::size_t m = 0; m < shape.m; m += BlockM) {
            run_chains(a, b, first, last, m, n, acc);
            const std::size_t height = std::min(BlockM, shape.m - m);
            for (std::size_t i = 0; i < height; ++i) {
                float* out = psum.data() + (m + i) * b.stride() + n;
                for (std::size_t j = 0; j < BlockN; ++j) {
                    out[j] = canonical(overwrite ? acc[i][j] : out[j] + acc[i][j]);
                }
            }
        }
    }
}

}  // namespace

std::vector<float> tensor_matmul_reference(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                           MatmulShape shape, Format format, std::size_t rows) {
    if (a.size() != shape.k * shape.m || b.size() != shape.k * shape.n || rows == 0) {
        throw std::invalid_argument("matmul operands do not fit the shape");
    }
    float_format(format);  // refuses integer formats

    // The conversions of a and b that a pass multiplies, as indices into the operands below.
    struct Pass {
        std::size_t stationary;
        std::size_t moving;
    };
    std::vector<Pass> passes;
    std::vector<Operand> stationary;
    std::vector<Operand> moving;
    const auto take = [&](auto convert) {
        stationary.emplace_back(a, shape.k, shape.m, convert);
        moving.emplace_back(b, shape.k, shape.n, convert);
    };
    if (format == Format::Fp32) {
        take([](std::uint32_t bits) { return split_fp32(float_of(bits)).low; });
        take([](std::uint32_t bits) { return finite_or_zero(split_fp32(float_of(bits)).high); });
        take([](std::uint32_t bits) { return split_fp32(float_of(bits)).high; });
        passes = {{0, 0}, {0, 1}, {1, 0}, {2, 2}};
    } else {
        take([&](std::uint32_t bits) { return to_fp32(bits, format); });
        passes = {{0, 0}};
    }

    const std::size_t stride = padded(shape.n);
    std::vector<float> psum(shape.m * stride);
    {
        const FlushMode mode;
        bool overwrite = true;
        for (std::size_t first = 0; first < shape.k; first += rows) {
            const std::size_t last = std::min(first + rows, shape.k);
            for (const Pass& pass : passes) {
                run_pass(stationary[pass.stationary], moving[pass.moving], first, last, shape, overwrite,
                         psum);
                overwrite = false;
            }
        }
    }
    std::vector<float> result(shape.m * shape.n);
    for (std::size_t m = 0; m < shape.m; ++m) {
        std::copy_n(psum.begin() + static_cast<std::ptrdiff_t>(m * stride), shape.n,
                    result.begin() + static_cast<std::ptrdiff_t>(m * shape.n));
    }
    return result;
}

}  // namespace trnsim::numerics
