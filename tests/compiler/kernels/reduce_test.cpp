// Compares the reduce kernel in the interpreter with reductions in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "common/random.hpp"
#include "compiler/kernels/kernel_bench.hpp"

namespace trnsim {
namespace {

using test::KernelBench;
using test::Numbers;

constexpr double Infinity = std::numeric_limits<double>::infinity();
constexpr double Fp32 = 0x1p-24;  // relative error of one rounding

struct Operation {
    const char* name;
    double neutral;
    std::function<double(double, double)> apply;
};
const Operation Operations[] = {
    {"add", 0, std::plus<>()},
    {"max", -Infinity, [](double a, double b) { return std::max(a, b); }},
    {"min", Infinity, [](double a, double b) { return std::min(a, b); }},
    {"multiply", 1, std::multiplies<>()},
};

struct Shape {
    std::size_t rows, cols;
};

void check(const Operation& operation, const Shape& shape, int axis, const target::Core& target,
           std::mt19937_64& random) {
    KernelBench bench("reduce",
                      {{"rows", std::to_string(shape.rows)},
                       {"cols", std::to_string(shape.cols)},
                       {"op", operation.name},
                       {"axis", std::to_string(axis)}},
                      target, random());
    SCOPED_TRACE(bench.package().arguments + " on " + std::to_string(target.partitions) + " partitions");
    const bool product = std::string(operation.name) == "multiply";
    const bool sum = std::string(operation.name) == "add";
    // The values are near 1, so that products stay near 1.
    const double spread = 1 / std::sqrt(10.0 + static_cast<double>(axis == 0 ? shape.rows : shape.cols));
    const Numbers x = bench.set(
        "x", test::random_numbers(random, shape.rows * shape.cols, product ? 1 : 0, product ? spread : 1));
    bench.run();
    const Numbers y = bench.get("y");
    ASSERT_EQ(y.size(), axis == 0 ? shape.cols : shape.rows);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t count = axis == 0 ? shape.rows : shape.cols;
        double want = operation.neutral, magnitudes = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const double value = axis == 0 ? x[k * shape.cols + i] : x[i * shape.cols + k];
            want = operation.apply(want, value);
            magnitudes += std::abs(value);
        }
        // Each element takes part in at most `count` roundings, or four times as many in the four passes of
        // the Tensor engine.
        const auto roundings = static_cast<double>(count) * Fp32 * 1.01;
        const double tolerance = sum       ? magnitudes * roundings * (axis == 0 ? 4 : 1)
                                 : product ? std::abs(want) * roundings
                                           : 0;
        ASSERT_LE(std::abs(y[i] - want), tolerance) << "element " << i;
    }
}

void check_all(const Shape& shape, const target::Core& target, std::mt19937_64& random) {
    for (const Operation& operation : Operations) {
        for (const int axis : {0, 1}) ASSERT_NO_FATAL_FAILURE(check(operation, shape, axis, target, random));
    }
}

TEST(Reduce, Corners) {
    auto random = test::generator();
    const Shape shapes[] = {{1, 1}, {1, 50}, {50, 1}, {8, 8}, {9, 17}, {7, 2}, {130, 3}, {3, 700}};
    for (const Shape& shape : shapes) {
        for (const target::Core& target : {test::small_target(), test::odd_target(), test::trn1_target()})
            ASSERT_NO_FATAL_FAILURE(check_all(shape, target, random));
    }
}

TEST(Reduce, RandomShapes) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 10 * test::heavy_scale(); ++i) {
        const Shape shape{1 + random() % 100, 1 + random() % 1000};
        ASSERT_NO_FATAL_FAILURE(
            check_all(shape, i % 2 == 0 ? test::small_target() : test::odd_target(), random));
    }
}

TEST(Reduce, LongRowsAndManyRows) {
    auto random = test::generator();
    for (const target::Core& target : {test::small_target(), test::trn1_target()}) {
        for (const int axis : {0, 1}) {
            ASSERT_NO_FATAL_FAILURE(check(Operations[axis], {3, 100000}, axis, target, random));
            ASSERT_NO_FATAL_FAILURE(check(Operations[1 - axis], {2000, 3}, axis, target, random));
        }
    }
    ASSERT_NO_FATAL_FAILURE(check_all({300, 5000}, test::trn1_target(), random));
}

TEST(Reduce, NanAndInfinity) {
    auto random = test::generator();
    for (const Operation& operation : Operations) {
        for (const int axis : {0, 1}) {
            KernelBench bench(
                "reduce",
                {{"rows", "9"}, {"cols", "9"}, {"op", operation.name}, {"axis", axis == 0 ? "0" : "1"}},
                test::small_target(), random());
            Numbers x(81, 1.0);
            x[3 * 9 + 3] = std::nan("");
            x[5 * 9 + 5] = Infinity;
            bench.set("x", x);
            bench.run();
            const Numbers y = bench.get("y");
            EXPECT_TRUE(std::isnan(y[3])) << operation.name << axis;
            EXPECT_EQ(y[5], std::string(operation.name) == "min" ? 1 : Infinity) << operation.name << axis;
        }
    }
}

TEST(Reduce, SaysWhichOperationsThereAre) {
    const std::map<std::string, std::string> arguments{{"rows", "1"}, {"cols", "1"}, {"op", "divide"}};
    EXPECT_THROW(kernels::build_kernel("reduce", arguments, test::small_target()), kernels::ArgumentError);
}

}  // namespace
}  // namespace trnsim
