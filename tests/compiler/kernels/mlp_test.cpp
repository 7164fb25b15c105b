// Compares the mlp kernel in the interpreter with the layers computed one after the other on the host, bit
// for bit.
#include "compiler/kernels/mlp.hpp"

#include <gtest/gtest.h>

#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/matmul_reference.hpp"
#include "common/random.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/kernels/tensors.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim {
namespace {

using isa::Dtype;

struct Sizes {
    std::size_t batch, inputs, hidden, outputs;
};

void expect_exact(const Sizes& size, Dtype dtype, const target::Core& target, std::mt19937_64& generator) {
    const neff::Package package = kernels::build_kernel("mlp",
                                                        {{"batch", std::to_string(size.batch)},
                                                         {"inputs", std::to_string(size.inputs)},
                                                         {"hidden", std::to_string(size.hidden)},
                                                         {"outputs", std::to_string(size.outputs)},
                                                         {"dtype", std::string(isa::name_of(dtype))}},
                                                        target);
    SCOPED_TRACE(package.arguments + " on " + std::to_string(target.rows) + " rows");
    const test::Bits x = test::random_tensor(generator, size.inputs * size.batch, dtype);
    const test::Bits w1 = test::random_tensor(generator, size.inputs * size.hidden, dtype);
    const test::Bits b1 = test::random_tensor(generator, size.hidden, Dtype::Fp32);
    const test::Bits w2 = test::random_tensor(generator, size.hidden * size.outputs, dtype);
    const test::Bits b2 = test::random_tensor(generator, size.outputs, Dtype::Fp32);
    functional::Interpreter machine(package, functional::in_order(generator() % 8));
    machine.set("x", test::pack(x, dtype));
    machine.set("w1", test::pack(w1, dtype));
    machine.set("b1", test::pack(b1, Dtype::Fp32));
    machine.set("w2", test::pack(w2, dtype));
    machine.set("b2", test::pack(b2, Dtype::Fp32));
    machine.run();

    const auto rows = static_cast<std::size_t>(target.rows);
    const auto hidden_rows = static_cast<std::size_t>(std::min(target.rows, target.columns));
    const auto sums =
        numerics::tensor_matmul_reference(w1, x, {size.hidden, size.batch, size.inputs}, dtype, rows);
    test::Bits hidden(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const float biased = numerics::add(sums[i], numerics::float_of(b1[i / size.batch]));
        hidden[i] = numerics::from_fp32(numerics::maximum(biased, 0.0f), dtype);
    }
    auto y = numerics::tensor_matmul_reference(w2, hidden, {size.outputs, size.batch, size.hidden}, dtype,
                                               hidden_rows);
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = numerics::add(y[i], numerics::float_of(b2[i / size.batch]));
    EXPECT_EQ(machine.get("y"), test::pack(y));
}

std::size_t up_to(std::mt19937_64& generator, std::size_t limit) {
    return 1 + generator() % limit;
}

TEST(Mlp, RandomShapesOnSmallTargets) {
    std::mt19937_64 generator = test::generator();
    const target::Core targets[] = {test::small_target(), test::odd_target(),
                                    test::square_target(16, 8 << 10, 4 << 10, 4)};
    const Dtype dtypes[] = {Dtype::Bf16, Dtype::Fp16, Dtype::Fp32, Dtype::Fp8E4m3, Dtype::Tf32};
    for (std::uint64_t i = 0; i < 40 * test::heavy_scale(); ++i) {
        const Sizes sizes{up_to(generator, 300), up_to(generator, 60), up_to(generator, 60),
                          up_to(generator, 30)};
        expect_exact(sizes, dtypes[i % std::size(dtypes)], targets[i % std::size(targets)], generator);
    }
}

TEST(Mlp, OnTrn1) {
    std::mt19937_64 generator = test::generator();
    expect_exact({600, 64, 256, 10}, Dtype::Bf16, test::trn1_target(), generator);
    expect_exact({20, 300, 700, 200}, Dtype::Fp32, test::trn1_target(), generator);
}

TEST(Mlp, StreamsWeightsThatDoNotFit) {
    std::mt19937_64 generator = test::generator();
    expect_exact({50, 300, 300, 20}, Dtype::Fp32, test::small_target(), generator);
}

TEST(Mlp, SaysWhenASampleDoesNotFit) {
    EXPECT_THROW(kernels::build_kernel(
                     "mlp", {{"batch", "1"}, {"inputs", "1"}, {"hidden", "100000"}, {"outputs", "1"}},
                     test::small_target()),
                 std::runtime_error);
}

}  // namespace
}  // namespace trnsim
