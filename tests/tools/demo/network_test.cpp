// The demo's classifier is accurate on the host, and the mlp kernel computes it bit for bit.
#include "tools/demo/network.hpp"

#include <gtest/gtest.h>

#include "compiler/kernels/registry.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/kernels/tensors.hpp"
#include "testbench/functional/interpreter.hpp"
#include "tools/demo/ridge.hpp"

namespace trnsim {
namespace {

constexpr std::size_t Training = 1437;

TEST(Ridge, SolvesTheNormalEquations) {
    // Two features, one target: (X^T X + 1) w = X^T t with X^T X = [[2, 1], [1, 2]], X^T t = [4, 5].
    const std::vector<double> weights = demo::ridge({1, 0, 1, 1, 0, 1}, {1, 3, 2}, 2, 1, 1.0);
    EXPECT_NEAR(weights[0], 7.0 / 8, 1e-12);
    EXPECT_NEAR(weights[1], 11.0 / 8, 1e-12);
}

TEST(Network, ClassifiesHeldOutDigits) {
    const demo::Digits digits = demo::read_digits(demo::find_digits());
    ASSERT_EQ(digits.size(), 1797u);
    const std::size_t count = digits.size() - Training;
    const demo::Network network = demo::fit_network(digits, Training, 1024, 128);
    const auto y = demo::reference_outputs(network, demo::samples_of(digits, Training, count), count, 128);
    const auto labels = demo::labels_of(y, count);
    std::size_t right = 0;
    for (std::size_t i = 0; i < count; ++i) right += labels[i] == digits.labels[Training + i] ? 1 : 0;
    std::printf("%zu of %zu\n", right, count);
    EXPECT_GE(right * 100, count * 95);
}

TEST(Network, IsWhatTheKernelComputes) {
    const demo::Digits digits = demo::read_digits(demo::find_digits());
    const demo::Network network = demo::fit_network(digits, 300, 200, 128);
    const std::size_t count = 100;
    const auto samples = demo::samples_of(digits, 0, count);
    const neff::Package package = kernels::build_kernel(
        "mlp", {{"batch", "100"}, {"inputs", "64"}, {"hidden", "200"}, {"outputs", "10"}},
        test::trn1_target());
    for (std::uint64_t order = 0; order < 4; ++order) {
        functional::Interpreter machine(package, functional::in_order(order));
        machine.set("x", test::pack(samples, isa::Dtype::Bf16));
        machine.set("w1", test::pack(network.w1, isa::Dtype::Bf16));
        machine.set("b1", test::pack(network.b1));
        machine.set("w2", test::pack(network.w2, isa::Dtype::Bf16));
        machine.set("b2", test::pack(network.b2));
        machine.run();
        EXPECT_EQ(machine.get("y"), test::pack(demo::reference_outputs(network, samples, count, 128)));
    }
}

TEST(Digits, SaysWhereAFileIsWrong) {
    EXPECT_THROW(demo::read_digits("no-such-file.gz"), demo::Error);
}

}  // namespace
}  // namespace trnsim
