// Runs kernels with a loop of the builder on the verilated core: the results equal those of the same calls
// one after the other, and those that the host computes from the inputs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <span>

#include "arch/target/target.hpp"
#include "common/loop_kernels.hpp"
#include "rtl_bench.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::test {
namespace {

using Floats = std::vector<float>;

Bytes bytes_of(const Floats& values) {
    Bytes bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

Floats floats_of(const Bytes& bytes) {
    Floats values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

struct Case {
    const char* name;
    std::function<neff::Package(const target::Chip&, const LoopKernel&)> build;
    std::function<Floats(const std::vector<Floats>&)> on_host;  // from the inputs to all outputs
    float tolerance = 0;
};

Floats elementwise_on_host(const std::vector<Floats>& inputs) {
    Floats y = inputs[0];
    for (float& value : y) value = std::max(2 * value + 1, 0.0f);
    return y;
}

Floats matmul_on_host(const std::vector<Floats>& inputs, std::size_t m) {
    Floats c(m * MatmulColumns);
    for (std::size_t k = 0; k < inputs[0].size() / m; ++k) {
        for (std::size_t i = 0; i < c.size(); ++i)
            c[i] += inputs[0][k * m + i / MatmulColumns] * inputs[1][k * MatmulColumns + i % MatmulColumns];
    }
    for (float& value : c) value = std::max(value, 0.0f);
    return c;
}

Floats softmax_on_host(const std::vector<Floats>& inputs) {
    Floats y, most;
    for (std::size_t row = 0; row < inputs[0].size() / SoftmaxColumns; ++row) {
        const std::span<const float> x(&inputs[0][row * SoftmaxColumns], SoftmaxColumns);
        most.push_back(*std::ranges::max_element(x));
        double sum = 0;
        for (const float value : x) sum += std::exp(double{value} - most.back());
        for (const float value : x)
            y.push_back(static_cast<float>(std::exp(double{value} - most.back()) / sum));
    }
    y.insert(y.end(), most.begin(), most.end());
    return y;
}

const config::Config& small16() {
    static const config::Config config = config::load("small16");
    return config;
}

const std::vector<Case>& cases() {
    const std::size_t rows = small16().core.array.rows;
    static const std::vector<Case> all{
        {"elementwise", elementwise_loop, elementwise_on_host},
        {"matmul", matmul_loop,
         [rows](const std::vector<Floats>& inputs) { return matmul_on_host(inputs, rows); }},
        {"softmax", softmax_loop, softmax_on_host, 1e-5f}};
    return all;
}

// The values are small multiples of a quarter, so that sums of their products are exact.
std::vector<Floats> random_inputs(const neff::Package& package) {
    std::mt19937_64 random = generator();
    std::vector<Floats> inputs;
    for (const neff::Tensor& tensor : package.tensors) {
        if (!neff::is_input(tensor.kind)) continue;
        Floats& values = inputs.emplace_back(tensor.shape[0] * tensor.shape[1]);
        for (float& value : values) value = static_cast<float>(random() % 64) / 4 - 8;
    }
    return inputs;
}

runtime::Arrays arrays_of(const neff::Package& package, const std::vector<Floats>& inputs) {
    runtime::Arrays arrays;
    for (const neff::Tensor& tensor : package.tensors) {
        if (neff::is_input(tensor.kind))
            arrays[tensor.name] = {npy::Type::F4, tensor.shape, bytes_of(inputs[arrays.size()])};
    }
    return arrays;
}

class LoopsOnRtl : public testing::TestWithParam<std::uint32_t> {};

TEST_P(LoopsOnRtl, GiveWhatTheirCallsGiveInOrder) {
    for (const Case& kernel : cases()) {
        SCOPED_TRACE(kernel.name);
        const target::Chip target = target::of(small16());
        const neff::Package package = kernel.build(target, {GetParam(), Written::AsLoop});
        const std::vector<Floats> inputs = random_inputs(package);
        const runtime::Arrays arrays = arrays_of(package, inputs);
        const Bytes y = run_on_rtl(package, small16(), arrays);
        expect_same(run_on_rtl(kernel.build(target, {GetParam(), Written::Unrolled}), small16(), arrays), y);
        for (std::uint32_t seed = 1; seed <= 2; ++seed)
            expect_same(run_on_rtl(package, small16(), arrays, {}, tlm::perturb::Seed{seed}), y);
        const Floats got = floats_of(y), expected = kernel.on_host(inputs);
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], kernel.tolerance) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Iterations, LoopsOnRtl, testing::Values(1, 2, 3, 17));

}  // namespace
}  // namespace trnsim::test
