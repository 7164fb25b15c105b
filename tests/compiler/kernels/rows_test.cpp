// Compares kernels that work row by row or element by element, in the interpreter, with double precision.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "common/random.hpp"
#include "compiler/kernels/kernel_bench.hpp"

namespace trnsim {
namespace {

using isa::Dtype;
using test::KernelBench;
using test::Numbers;

constexpr double Fp32 = 0x1p-24;  // relative error of one rounding

struct Case {
    std::size_t rows, cols;
    Dtype dtype;
    target::Core target;

    std::map<std::string, std::string> arguments() const {
        return {{"rows", std::to_string(rows)},
                {"cols", std::to_string(cols)},
                {"dtype", std::string(isa::name_of(dtype))}};
    }
    std::string name() const {
        return fmt::format("{} x {} {} on {} partitions", rows, cols, isa::name_of(dtype), target.partitions);
    }
};

// Returns corner cases of shapes and random ones: within a block, a row more, tall, wide, long rows in
// chunks.
std::vector<Case> cases(std::mt19937_64& random) {
    const Dtype types[] = {Dtype::Fp32, Dtype::Bf16, Dtype::Fp16};
    const target::Core small = test::small_target(), odd = test::odd_target(), full = test::trn1_target();
    std::vector<Case> all{{1, 1, Dtype::Fp32, small},    {1, 1, Dtype::Bf16, full},
                          {8, 9, Dtype::Fp32, small},    {9, 8, Dtype::Bf16, small},
                          {100, 3, Dtype::Fp32, odd},    {3, 1000, Dtype::Fp32, small},
                          {20, 700, Dtype::Bf16, odd},   {129, 65, Dtype::Bf16, full},
                          {300, 600, Dtype::Fp32, full}, {2, 9000, Dtype::Fp32, full}};
    for (std::uint64_t i = 0; i < 12 * test::heavy_scale(); ++i) {
        all.push_back({1 + random() % 40, 1 + random() % 300, types[i % 3], i % 2 != 0 ? small : odd});
    }
    return all;
}

void expect_near(const Numbers& got, const Numbers& want, const Numbers& tolerance) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_LE(std::abs(got[i] - want[i]), tolerance[i])
            << "element " << i << ": " << got[i] << ", " << want[i];
}

template <typename Check>
void for_each_case(const Check& check) {
    auto random = test::generator();
    for (const Case& one : cases(random)) {
        SCOPED_TRACE(one.name());
        ASSERT_NO_FATAL_FAILURE(check(one, random));
    }
}

TEST(Rows, CastIsExact) {
    for_each_case([](const Case& c, std::mt19937_64& random) {
        for (const Dtype dtype : {c.dtype, Dtype::I16, Dtype::Fp8E4m3}) {
            auto arguments = c.arguments();
            arguments["dtype"] = isa::name_of(dtype);
            KernelBench bench("cast", arguments, c.target, random());
            const Numbers x = bench.set("x", test::random_numbers(random, c.rows * c.cols, 0, 20));
            bench.run();
            const Numbers y = bench.get("y");
            for (std::size_t i = 0; i < x.size(); ++i) {
                const auto bits = numerics::from_fp32(static_cast<float>(x[i]), dtype);
                ASSERT_EQ(y[i], numerics::to_fp32(bits, dtype));
            }
        }
    });
}

TEST(Rows, Softmax) {
    for_each_case([](const Case& c, std::mt19937_64& random) {
        KernelBench bench("softmax", c.arguments(), c.target, random());
        const Numbers x = bench.set("x", test::random_numbers(random, c.rows * c.cols, 3, 4));
        bench.run();
        Numbers want(x.size()), tolerance(x.size());
        for (std::size_t row = 0; row < c.rows; ++row) {
            const auto* begin = &x[row * c.cols];
            const double maximum = *std::max_element(begin, begin + c.cols);
            double sum = 0;
            for (std::size_t i = 0; i < c.cols; ++i) sum += std::exp(begin[i] - maximum);
            for (std::size_t i = 0; i < c.cols; ++i) {
                const double distance = maximum - begin[i];
                const double value = want[row * c.cols + i] = std::exp(-distance) / sum;
                // x - maximum is rounded once, and that error becomes an error of exp; exp is within 2 ulp;
                // the sum of n terms in order is within n roundings; reciprocal and product round once each.
                const double relative =
                    distance * Fp32 + 4 * Fp32 + (static_cast<double>(c.cols) + 30 + 4) * Fp32 + 2 * Fp32;
                tolerance[row * c.cols + i] = value * (relative + test::unit_roundoff(c.dtype) * 1.01) +
                                              0x1p-24 * (c.dtype == Dtype::Fp16) + 0x1p-125;
            }
        }
        expect_near(bench.get("y"), want, tolerance);
    });
}

struct Moments {
    double mean = 0, variance = 0, square = 0, largest = 0;
};
Moments moments(const double* row, std::size_t count) {
    Moments m;
    const auto n = static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
        m.mean += row[i] / n;
        m.square += row[i] * row[i] / n;
        m.largest = std::max(m.largest, std::abs(row[i]));
    }
    for (std::size_t i = 0; i < count; ++i) m.variance += (row[i] - m.mean) * (row[i] - m.mean) / n;
    return m;
}

TEST(Rows, Layernorm) {
    for_each_case([](const Case& c, std::mt19937_64& random) {
        KernelBench bench("layernorm", c.arguments(), c.target, random());
        const Numbers x = bench.set("x", test::random_numbers(random, c.rows * c.cols, 1, 2));
        const Numbers gamma = bench.set("gamma", test::random_numbers(random, c.cols, 1, 0.5));
        const Numbers beta = bench.set("beta", test::random_numbers(random, c.cols));
        bench.run();
        Numbers want(x.size()), tolerance(x.size());
        for (std::size_t row = 0; row < c.rows; ++row) {
            const Moments m = moments(&x[row * c.cols], c.cols);
            const double scale = 1 / std::sqrt(m.variance + 1e-5);
            for (std::size_t i = 0; i < c.cols; ++i) {
                const std::size_t at = row * c.cols + i;
                const double normal = (x[at] - m.mean) * scale * gamma[i];
                want[at] = normal + beta[i];
                // A running mean of at most 256 values, merged: each step rounds four times, at most by the
                // largest value; the variance loses twice that, relative to itself, divided by the scale.
                const double steps = 4 * 256 + 8 * (static_cast<double>(c.cols) / 256 + 2);
                const double mean_error = steps * m.largest * Fp32;
                const double scale_error =
                    (steps * Fp32 * (m.variance + m.largest * m.largest)) / (2 * (m.variance + 1e-5)) +
                    4 * Fp32;
                tolerance[at] = mean_error * scale * std::abs(gamma[i]) +
                                std::abs(normal) * (scale_error + 4 * Fp32) +
                                std::abs(want[at]) * (Fp32 + test::unit_roundoff(c.dtype) * 1.01) + 0x1p-24;
            }
        }
        expect_near(bench.get("y"), want, tolerance);
    });
}

TEST(Rows, Rmsnorm) {
    for_each_case([](const Case& c, std::mt19937_64& random) {
        KernelBench bench("rmsnorm", c.arguments(), c.target, random());
        const Numbers x = bench.set("x", test::random_numbers(random, c.rows * c.cols, 1, 2));
        const Numbers gamma = bench.set("gamma", test::random_numbers(random, c.cols, 1, 0.5));
        bench.run();
        Numbers want(x.size()), tolerance(x.size());
        for (std::size_t row = 0; row < c.rows; ++row) {
            const Moments m = moments(&x[row * c.cols], c.cols);
            for (std::size_t i = 0; i < c.cols; ++i) {
                const std::size_t at = row * c.cols + i;
                want[at] = x[at] / std::sqrt(m.square + 1e-5) * gamma[i];
                // The root halves the error of n squares that are added in order; 1 / n, the root and two
                // products round.
                const double relative = (static_cast<double>(c.cols) / 2 + 8) * Fp32;
                tolerance[at] =
                    std::abs(want[at]) * (relative + test::unit_roundoff(c.dtype) * 1.01) + 0x1p-24;
            }
        }
        expect_near(bench.get("y"), want, tolerance);
    });
}

double normal_distribution(double x) {
    return std::erfc(-x / std::sqrt(2.0)) / 2;
}

TEST(Rows, GeluAndItsGradient) {
    for_each_case([](const Case& c, std::mt19937_64& random) {
        KernelBench forward("gelu", c.arguments(), c.target, random());
        KernelBench backward("gelu_backward", c.arguments(), c.target, random());
        const Numbers x = forward.set("x", test::random_numbers(random, c.rows * c.cols, 0, 2));
        backward.set("x", x);
        const Numbers dy = backward.set("dy", test::random_numbers(random, x.size()));
        forward.run();
        backward.run();
        Numbers y(x.size()), dx(x.size()), y_tolerance(x.size()), dx_tolerance(x.size());
        const double rounding = test::unit_roundoff(c.dtype) * 1.01;
        const double least = c.dtype == Dtype::Fp16 ? 0x1p-24 : 0;  // subnormals have less precision
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] = x[i] * normal_distribution(x[i]);
            const double slope =
                normal_distribution(x[i]) + x[i] * std::exp(-x[i] * x[i] / 2) / std::sqrt(2 * M_PI);
            dx[i] = dy[i] * slope;
            y_tolerance[i] = std::abs(y[i]) * (8 * Fp32 + rounding) + least;  // 4 ulp
            dx_tolerance[i] = std::abs(dx[i]) * (10 * Fp32 + rounding) + least;
        }
        expect_near(forward.get("y"), y, y_tolerance);
        expect_near(backward.get("dx"), dx, dx_tolerance);
    });
}

}  // namespace
}  // namespace trnsim
