// Compares every bit of every element of the transpose kernel in the interpreter.
#include <gtest/gtest.h>

#include "common/random.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/kernels/tensors.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim {
namespace {

using isa::Dtype;

void check(std::size_t rows, std::size_t cols, Dtype dtype, const target::Core& target,
           std::mt19937_64& random) {
    const neff::Package package = kernels::build_kernel("transpose",
                                                        {{"rows", std::to_string(rows)},
                                                         {"cols", std::to_string(cols)},
                                                         {"dtype", std::string(isa::name_of(dtype))}},
                                                        target);
    SCOPED_TRACE(package.arguments + " on " + std::to_string(target.partitions) + " partitions");
    test::Bits x(rows * cols), want(rows * cols);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < cols; ++column) {
            want[column * rows + row] = x[row * cols + column] = static_cast<std::uint32_t>(random());
        }
    }
    functional::Interpreter machine(package, functional::in_order(random() % 8));
    machine.set("x", test::pack(x, dtype));
    machine.run();
    ASSERT_EQ(machine.get("y"), test::pack(want, dtype));
}

TEST(Transpose, CornersOfEveryType) {
    auto random = test::generator();
    const std::size_t shapes[][2] = {{1, 1}, {1, 40}, {40, 1}, {8, 8}, {9, 7}, {31, 33}, {130, 66}, {2, 257}};
    for (const target::Core& target : {test::small_target(), test::odd_target(), test::trn1_target()}) {
        for (const auto& [rows, cols] : shapes) {
            for (const isa::EnumValue& dtype : isa::dtype_values()) {
                ASSERT_NO_FATAL_FAILURE(check(rows, cols, static_cast<Dtype>(dtype.value), target, random));
            }
        }
    }
}

TEST(Transpose, RandomShapes) {
    auto random = test::generator();
    const Dtype types[] = {Dtype::Fp32, Dtype::Bf16, Dtype::U8};
    for (std::uint64_t i = 0; i < 30 * test::heavy_scale(); ++i) {
        const target::Core target = i % 2 == 0 ? test::small_target() : test::odd_target();
        ASSERT_NO_FATAL_FAILURE(check(1 + random() % 300, 1 + random() % 300, types[i % 3], target, random));
    }
}

TEST(Transpose, TallAndWide) {
    auto random = test::generator();
    ASSERT_NO_FATAL_FAILURE(check(3, 100000, Dtype::Bf16, test::small_target(), random));
    ASSERT_NO_FATAL_FAILURE(check(100000, 3, Dtype::Fp32, test::trn1_target(), random));
    ASSERT_NO_FATAL_FAILURE(check(1500, 700, Dtype::Fp32, test::trn1_target(), random));
}

}  // namespace
}  // namespace trnsim
