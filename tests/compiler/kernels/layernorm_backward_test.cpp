// Compares the layernorm_backward kernel in the interpreter with double precision.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/random.hpp"
#include "compiler/kernels/kernel_bench.hpp"

namespace trnsim {
namespace {

using isa::Dtype;
using test::KernelBench;
using test::Numbers;

constexpr double Fp32 = 0x1p-24;  // relative error of one rounding
constexpr double Eps = 1e-5;

// A value and the bound of its error.
struct Bounded {
    double value = 0, error = 0;
};

struct Row {
    double mean = 0, scale = 0, mean_error = 0, scale_error = 0;  // scale_error is relative
};

// Computes a running mean of at most 256 values and merges these: each step rounds four times, at most by the
// largest value; the variance loses twice that, relative to itself.
Row statistics(const double* x, std::size_t count) {
    const auto n = static_cast<double>(count);
    double variance = 0, largest = 0;
    Row row;
    for (std::size_t i = 0; i < count; ++i) {
        row.mean += x[i] / n;
        largest = std::max(largest, std::abs(x[i]));
    }
    for (std::size_t i = 0; i < count; ++i) variance += (x[i] - row.mean) * (x[i] - row.mean) / n;
    const double steps = 4 * 256 + 8 * (n / 256 + 2);
    row.scale = 1 / std::sqrt(variance + Eps);
    row.mean_error = steps * largest * Fp32;
    row.scale_error = steps * Fp32 * (variance + largest * largest) / (2 * (variance + Eps)) + 4 * Fp32;
    return row;
}

void check(std::size_t rows, std::size_t cols, Dtype dtype, const target::Core& target,
           std::mt19937_64& random) {
    KernelBench bench("layernorm_backward",
                      {{"rows", std::to_string(rows)},
                       {"cols", std::to_string(cols)},
                       {"dtype", std::string(isa::name_of(dtype))}},
                      target, random());
    SCOPED_TRACE(bench.package().arguments + " on " + std::to_string(target.partitions) + " partitions");
    const Numbers x = bench.set("x", test::random_numbers(random, rows * cols, 1, 2));
    const Numbers gamma = bench.set("gamma", test::random_numbers(random, cols, 1, 0.5));
    const Numbers dy = bench.set("dy", test::random_numbers(random, rows * cols));
    bench.run();
    const Numbers dx = bench.get("dx"), dgamma = bench.get("dgamma"), dbeta = bench.get("dbeta");

    const auto n = static_cast<double>(cols), m = static_cast<double>(rows);
    std::vector<Bounded> want_gamma(cols), want_beta(cols);
    for (std::size_t row = 0; row < rows; ++row) {
        const Row r = statistics(&x[row * cols], cols);
        Bounded mean_g, mean_ga;  // means of g and g (x - mean)
        for (std::size_t i = 0; i < cols; ++i) {
            const double a = x[row * cols + i] - r.mean, d = dy[row * cols + i], g = d * gamma[i];
            mean_g.value += g / n;
            mean_g.error += std::abs(g) / n * (n + 4) * Fp32;
            mean_ga.value += g * a / n;
            mean_ga.error += std::abs(g) / n * (r.mean_error + std::abs(a) * (n + 6) * Fp32);
            want_gamma[i].value += d * a * r.scale;
            // Each of four passes of the Tensor engine adds.
            want_gamma[i].error +=
                std::abs(d) * r.scale * (r.mean_error + std::abs(a) * (r.scale_error + (4 * m + 4) * Fp32));
            want_beta[i].value += d;
            want_beta[i].error += std::abs(d) * 4 * m * Fp32;
        }
        const double slope = mean_ga.value * r.scale * r.scale;
        const double slope_error =
            mean_ga.error * r.scale * r.scale + std::abs(slope) * (2 * r.scale_error + 4 * Fp32);
        for (std::size_t i = 0; i < cols; ++i) {
            const std::size_t at = row * cols + i;
            const double a = x[at] - r.mean, g = dy[at] * gamma[i];
            const double want = (g - mean_g.value - a * slope) * r.scale;
            const double error = std::abs(g) * 3 * Fp32 + mean_g.error + std::abs(mean_g.value) * 2 * Fp32 +
                                 r.mean_error * std::abs(slope) + std::abs(a) * slope_error +
                                 std::abs(a * slope) * 4 * Fp32;
            const double tolerance =
                1.01 * (error * r.scale +
                        std::abs(want) * (r.scale_error + 2 * Fp32 + test::unit_roundoff(dtype))) +
                0x1p-24 * (dtype == Dtype::Fp16);
            ASSERT_LE(std::abs(dx[at] - want), tolerance) << "row " << row << " column " << i;
        }
    }
    for (std::size_t i = 0; i < cols; ++i) {
        ASSERT_LE(std::abs(dgamma[i] - want_gamma[i].value), 1.01 * want_gamma[i].error) << "column " << i;
        ASSERT_LE(std::abs(dbeta[i] - want_beta[i].value), 1.01 * want_beta[i].error) << "column " << i;
    }
}

TEST(LayernormBackward, Corners) {
    auto random = test::generator();
    const std::size_t shapes[][2] = {{1, 1}, {1, 30}, {30, 1}, {8, 8}, {9, 17}, {130, 65}, {3, 700}};
    for (const auto& [rows, cols] : shapes) {
        for (const target::Core& target : {test::small_target(), test::odd_target(), test::trn1_target()}) {
            for (const Dtype dtype : {Dtype::Fp32, Dtype::Bf16})
                ASSERT_NO_FATAL_FAILURE(check(rows, cols, dtype, target, random));
        }
    }
}

TEST(LayernormBackward, RandomShapes) {
    auto random = test::generator();
    const Dtype types[] = {Dtype::Fp32, Dtype::Bf16, Dtype::Fp16};
    for (std::uint64_t i = 0; i < 15 * test::heavy_scale(); ++i) {
        const target::Core target = i % 2 == 0 ? test::small_target() : test::odd_target();
        ASSERT_NO_FATAL_FAILURE(check(1 + random() % 50, 1 + random() % 300, types[i % 3], target, random));
    }
}

TEST(LayernormBackward, ManyRowsAndLongOnes) {
    auto random = test::generator();
    const target::Core small = test::square_target(8, 64 << 10, 16 << 10, 8);
    ASSERT_NO_FATAL_FAILURE(check(10, 100000, Dtype::Bf16, small, random));
    ASSERT_NO_FATAL_FAILURE(check(300, 3000, Dtype::Fp32, test::trn1_target(), random));
    ASSERT_NO_FATAL_FAILURE(check(700, 256, Dtype::Bf16, test::trn1_target(), random));
}

}  // namespace
}  // namespace trnsim
