// Compares the cross_entropy kernel in the interpreter with double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "common/random.hpp"
#include "compiler/kernels/kernel_bench.hpp"

namespace trnsim {
namespace {

using test::KernelBench;
using test::Numbers;

constexpr double Fp32 = 0x1p-24;  // relative error of one rounding
constexpr double Infinity = std::numeric_limits<double>::infinity();

KernelBench bench_of(std::size_t rows, std::size_t classes, const target::Core& target, std::uint64_t seed) {
    return {"cross_entropy",
            {{"rows", std::to_string(rows)}, {"classes", std::to_string(classes)}},
            target,
            seed};
}

// Compares one row with the host. exp and log are within 2 ulp, which is 4 roundings.
void check_row(const double* logits, std::size_t classes, std::size_t all_rows, std::size_t label,
               double loss, const double* gradient) {
    const auto rows = static_cast<double>(all_rows);
    const double maximum = *std::max_element(logits, logits + classes);
    double sum = 0, error = 0;
    for (std::size_t i = 0; i < classes; ++i) {
        const double distance = maximum - logits[i];
        sum += std::exp(-distance);
        // logits - maximum is rounded once; that error becomes an error of exp.
        error += std::exp(-distance) * (distance + 4) * Fp32;
    }
    const double sum_error = error / sum + static_cast<double>(classes) * Fp32;
    const double distance = maximum - logits[label];
    const double want = std::log(sum) + distance;
    ASSERT_LE(std::abs(loss - want), 1.01 * (sum_error + (4 * std::log(sum) + distance + want) * Fp32));
    for (std::size_t i = 0; i < classes; ++i) {
        const double softmax = std::exp(logits[i] - maximum) / sum;
        const double relative = sum_error + (maximum - logits[i] + 4) * Fp32 + 4 * Fp32;
        const double one = i == label ? 1 : 0;
        // The roundings of 1 / rows and of the difference.
        const double tolerance = (softmax * relative + 2 * one * Fp32) / rows + 0x1p-125;
        ASSERT_LE(std::abs(gradient[i] - (softmax - one) / rows), 1.01 * tolerance) << "class " << i;
    }
}

void check(std::size_t rows, std::size_t classes, const target::Core& target, std::mt19937_64& random) {
    KernelBench bench = bench_of(rows, classes, target, random());
    SCOPED_TRACE(bench.package().arguments + " on " + std::to_string(target.partitions) + " partitions");
    const Numbers logits = bench.set("logits", test::random_numbers(random, rows * classes, 20, 4));
    Numbers labels(rows);
    for (double& label : labels) label = static_cast<double>(random() % classes);
    labels.front() = 0;
    labels.back() = static_cast<double>(classes - 1);
    bench.set("labels", labels);
    bench.run();
    const Numbers loss = bench.get("loss"), gradient = bench.get("dlogits");
    for (std::size_t row = 0; row < rows; ++row) {
        SCOPED_TRACE("row " + std::to_string(row));
        ASSERT_NO_FATAL_FAILURE(check_row(&logits[row * classes], classes, rows,
                                          static_cast<std::size_t>(labels[row]), loss[row],
                                          &gradient[row * classes]));
    }
}

TEST(CrossEntropy, Corners) {
    auto random = test::generator();
    const std::size_t shapes[][2] = {{1, 1}, {1, 30}, {30, 1}, {8, 8}, {9, 17}, {130, 10}, {3, 700}};
    for (const auto& [rows, classes] : shapes) {
        for (const target::Core& target : {test::small_target(), test::odd_target(), test::trn1_target()})
            ASSERT_NO_FATAL_FAILURE(check(rows, classes, target, random));
    }
}

TEST(CrossEntropy, RandomShapes) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 20 * test::heavy_scale(); ++i) {
        const target::Core target = i % 2 == 0 ? test::small_target() : test::odd_target();
        ASSERT_NO_FATAL_FAILURE(check(1 + random() % 60, 1 + random() % 400, target, random));
    }
}

TEST(CrossEntropy, ManyClasses) {
    auto random = test::generator();
    ASSERT_NO_FATAL_FAILURE(check(3, 100000, test::square_target(8, 64 << 10, 16 << 10, 8), random));
    ASSERT_NO_FATAL_FAILURE(check(130, 5000, test::trn1_target(), random));
}

TEST(CrossEntropy, MaskedLogitsAndLabelsOfNoClass) {
    auto random = test::generator();
    KernelBench bench = bench_of(3, 4, test::small_target(), random());
    bench.set("logits", {1, -Infinity, 1, -Infinity, 1, -Infinity, 1, -Infinity, 5, 5, 5, 5});
    bench.set("labels", {0, 1, 4});
    bench.run();
    const Numbers loss = bench.get("loss"), gradient = bench.get("dlogits");
    EXPECT_NEAR(loss[0], std::log(2.0), 1e-6);
    EXPECT_EQ(loss[1], Infinity);
    EXPECT_EQ(loss[2], Infinity);
    const Numbers want{-0.5 / 3, 0, 0.5 / 3,  0,        0.5 / 3,  -1.0 / 3,
                       0.5 / 3,  0, 0.25 / 3, 0.25 / 3, 0.25 / 3, 0.25 / 3};
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(gradient[i], want[i], 1e-7) << i;
}

}  // namespace
}  // namespace trnsim
