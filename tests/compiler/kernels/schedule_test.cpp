// Checks the kernels' schedules on an idealised core: only the arithmetic should limit the Tensor engine.
#include "compiler/kernels/schedule.hpp"

#include <gtest/gtest.h>

#include "compiler/kernels/registry.hpp"
#include "compiler/kernels/targets.hpp"

namespace trnsim {
namespace {

test::Schedule matmul(std::uint64_t m, std::uint64_t k, std::uint64_t n, const std::string& dtype) {
    const neff::Package package = kernels::build_kernel(
        "matmul",
        {{"M", std::to_string(m)}, {"K", std::to_string(k)}, {"N", std::to_string(n)}, {"dtype", dtype}},
        test::trn1_target());
    const test::Schedule schedule = test::schedule_of(package);
    std::printf("%s: %.0f cycles, first matmul at %.0f, utilisation %.4f\n", package.arguments.c_str(),
                schedule.total, schedule.tensor_first, schedule.utilisation());
    return schedule;
}

TEST(Schedule, MatmulKeepsTheTensorEngineBusy) {
    EXPECT_GE(matmul(1024, 1024, 1024, "bf16").utilisation(), 0.99);
    EXPECT_GE(matmul(1024, 1024, 1024, "fp32").utilisation(), 0.99);
    EXPECT_GE(matmul(1024, 1024, 1024, "fp8_e4m3").utilisation(), 0.97);
    EXPECT_GE(matmul(512, 512, 512, "bf16").utilisation(), 0.97);
    EXPECT_GE(matmul(2048, 2048, 2048, "bf16").utilisation(), 0.97);
    EXPECT_GE(matmul(1024, 8192, 2048, "bf16").utilisation(), 0.95);
}

// Vector is the bottleneck: it works on (hidden / 128 + 1) tiles of 512 columns for each batch tile.
TEST(Schedule, MlpKeepsTheVectorEngineBusy) {
    const neff::Package package = kernels::build_kernel(
        "mlp", {{"batch", "1797"}, {"inputs", "64"}, {"hidden", "1024"}, {"outputs", "10"}},
        test::trn1_target());
    const test::Schedule schedule = test::schedule_of(package);
    std::printf("%s: %.0f cycles, matmuls from %.0f to %.0f\n", package.arguments.c_str(), schedule.total,
                schedule.tensor_first, schedule.tensor_last);
    const double vector = 9 * 1797 * 2.5;
    EXPECT_LE(schedule.tensor_last - schedule.tensor_first, 1.15 * vector);
}

}  // namespace
}  // namespace trnsim
