// Compares the matmul kernel in the interpreter with the direct host product, bit for bit.
#include "compiler/kernels/matmul.hpp"

#include <gtest/gtest.h>

#include "arch/numerics/matmul_reference.hpp"
#include "common/random.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/kernels/tensors.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim {
namespace {

using isa::Dtype;

constexpr Dtype Dtypes[] = {Dtype::Bf16,    Dtype::Fp16,    Dtype::Tf32,   Dtype::Fp32,
                            Dtype::Fp8E4m3, Dtype::Fp8E5m2, Dtype::Fp8E3m4};

// Returns the transpose of a matrix of `rows` rows.
test::Bits transposed(const test::Bits& matrix, std::size_t rows) {
    const std::size_t columns = matrix.size() / rows;
    test::Bits turned(matrix.size());
    for (std::size_t i = 0; i < matrix.size(); ++i) turned[i % columns * rows + i / columns] = matrix[i];
    return turned;
}

// ta and tb say which operands are transposed in HBM.
void expect_exact(numerics::MatmulShape shape, Dtype dtype, const target::Core& target,
                  std::mt19937_64& generator, bool ta = true, bool tb = false) {
    const std::map<std::string, std::string> arguments{
        {"M", std::to_string(shape.m)}, {"K", std::to_string(shape.k)},
        {"N", std::to_string(shape.n)}, {"dtype", std::string(isa::name_of(dtype))},
        {"ta", ta ? "1" : "0"},         {"tb", tb ? "1" : "0"}};
    const neff::Package package = kernels::build_kernel("matmul", arguments, target);
    SCOPED_TRACE(package.arguments + " on " + std::to_string(target.rows) + " rows");
    const test::Bits a = test::random_tensor(generator, shape.k * shape.m, dtype);
    const test::Bits b = test::random_tensor(generator, shape.k * shape.n, dtype);
    functional::Interpreter machine(package, functional::in_order(generator() % 8));
    machine.set("a", test::pack(ta ? a : transposed(a, shape.k), dtype));
    machine.set("b", test::pack(tb ? transposed(b, shape.k) : b, dtype));
    machine.run();
    const auto rows = static_cast<std::size_t>(target.rows);
    EXPECT_EQ(machine.get("c"), test::pack(numerics::tensor_matmul_reference(a, b, shape, dtype, rows)));
}

std::size_t up_to(std::mt19937_64& generator, std::size_t limit) {
    return 1 + generator() % limit;
}

TEST(Matmul, RandomShapesOnSmallTargets) {
    std::mt19937_64 generator = test::generator();
    const target::Core targets[] = {test::small_target(), test::odd_target(),
                                    test::square_target(16, 8 << 10, 4 << 10, 4)};
    for (std::uint64_t i = 0; i < 40 * test::heavy_scale(); ++i) {
        const numerics::MatmulShape shape{up_to(generator, 60), up_to(generator, 400), up_to(generator, 60)};
        expect_exact(shape, Dtypes[generator() % std::size(Dtypes)], targets[i % std::size(targets)],
                     generator);
    }
}

// Every layout of the operands gives the product's bits.
TEST(Matmul, LayoutsOfOperands) {
    std::mt19937_64 generator = test::generator();
    const target::Core targets[] = {test::small_target(), test::odd_target(), test::trn1_target()};
    for (std::uint64_t i = 0; i < 24 * test::heavy_scale(); ++i) {
        const numerics::MatmulShape shape{up_to(generator, 60), up_to(generator, 300), up_to(generator, 60)};
        expect_exact(shape, Dtypes[generator() % std::size(Dtypes)], targets[i % std::size(targets)],
                     generator, i % 2 == 0, i % 4 < 2);
    }
}

TEST(Matmul, LayoutsHaveTheirShapes) {
    const auto shapes = [](const char* ta, const char* tb) {
        const neff::Package package = kernels::build_kernel(
            "matmul", {{"M", "5"}, {"K", "7"}, {"N", "9"}, {"ta", ta}, {"tb", tb}}, test::small_target());
        return std::pair(package.tensors[0].shape, package.tensors[1].shape);
    };
    using Shape = std::vector<std::uint64_t>;
    EXPECT_EQ(shapes("1", "0"), std::pair(Shape({7, 5}), Shape({7, 9})));
    EXPECT_EQ(shapes("0", "1"), std::pair(Shape({5, 7}), Shape({9, 7})));
}

TEST(Matmul, RandomShapesOnTrn1) {
    std::mt19937_64 generator = test::generator();
    for (std::uint64_t i = 0; i < 7 * test::heavy_scale(); ++i) {
        const numerics::MatmulShape shape{up_to(generator, 300), up_to(generator, 300),
                                          up_to(generator, 700)};
        expect_exact(shape, Dtypes[i % std::size(Dtypes)], test::trn1_target(), generator);
    }
}

TEST(Matmul, EdgesOfTheTiles) {
    std::mt19937_64 generator = test::generator();
    for (const std::size_t size : {1u, 7u, 8u, 9u, 16u, 17u}) {
        expect_exact({size, size, size}, Dtype::Bf16, test::small_target(), generator);
        expect_exact({size, 1, 1}, Dtype::Fp32, test::odd_target(), generator);
        expect_exact({1, size, 1}, Dtype::Fp8E4m3, test::odd_target(), generator);
        expect_exact({1, 1, size}, Dtype::Tf32, test::small_target(), generator);
    }
}

TEST(Matmul, StreamsWhatDoesNotFit) {
    std::mt19937_64 generator = test::generator();
    // In the first case the stationary panel stays while moving chunks stream; in the second both stream.
    expect_exact({100, 200, 1000}, Dtype::Bf16, test::small_target(), generator);
    expect_exact({40, 3000, 40}, Dtype::Fp32, test::small_target(), generator);
}

TEST(Matmul, NeedsTwoRings) {
    const target::Core target = test::square_target(8, 4 << 10, 4 << 10, 8, 1);
    EXPECT_THROW(kernels::build_kernel("matmul", {{"M", "8"}, {"K", "8"}, {"N", "8"}}, target),
                 std::runtime_error);
}

}  // namespace
}  // namespace trnsim
