// Compares the AdamW kernel in the interpreter with double precision, and tests stochastic rounding by seed.
#include <gtest/gtest.h>

#include "common/random.hpp"
#include "compiler/kernels/kernel_bench.hpp"

namespace trnsim {
namespace {

using isa::Dtype;
using test::KernelBench;
using test::Numbers;

struct Step {
    Numbers w, m, v;
};

struct Case {
    std::size_t n;
    Dtype dtype;
    target::Core target;
    functional::RoundingControl rounding;
};

// Runs the kernel and checks it. The random numbers do not depend on the rounding.
Step check(const Case& c, std::mt19937_64 random) {
    constexpr double Fp32 = 0x1p-24;
    const double lr = 0.02, beta1 = 0.8, beta2 = 0.95, eps = 1e-6, decay = 0.1;
    KernelBench bench("adamw",
                      {{"n", std::to_string(c.n)},
                       {"dtype", std::string(isa::name_of(c.dtype))},
                       {"lr", "0.02"},
                       {"beta1", "0.8"},
                       {"beta2", "0.95"},
                       {"eps", "1e-6"},
                       {"weight_decay", "0.1"},
                       {"step", "3"}},
                      c.target, random(), c.rounding);
    const Numbers w = bench.set("w", test::random_numbers(random, c.n));
    const Numbers g = bench.set("g", test::random_numbers(random, c.n, 0, 0.1));
    const Numbers m = bench.set("m", test::random_numbers(random, c.n, 0, 0.1));
    Numbers v = test::random_numbers(random, c.n, 0, 0.1);
    for (double& x : v) x = x * x;
    v = bench.set("v", v);
    bench.run();
    const Step got{bench.get("w"), bench.get("m"), bench.get("v")};
    const double last = (c.rounding.stochastic ? 2 : 1) * test::unit_roundoff(c.dtype) * 1.01;
    for (std::size_t i = 0; i < c.n; ++i) {
        const double m1 = beta1 * m[i] + (1 - beta1) * g[i], v1 = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
        const double update =
            lr * (m1 / (1 - std::pow(beta1, 3))) / (std::sqrt(v1 / (1 - std::pow(beta2, 3))) + eps);
        const double w1 = (1 - lr * decay) * w[i] - update;
        const double m_error = 4 * Fp32 * (std::abs(beta1 * m[i]) + std::abs((1 - beta1) * g[i]));
        EXPECT_NEAR(got.m[i], m1, m_error);
        EXPECT_NEAR(got.v[i], v1, 8 * Fp32 * v1);
        const double w_error = std::abs(update) * 16 * Fp32 + m_error * std::abs(update / m1) +
                               4 * Fp32 * std::abs(w[i]) + std::abs(w1) * last;
        EXPECT_NEAR(got.w[i], w1, w_error + 0x1p-24);
        if (::testing::Test::HasFailure()) break;
    }
    return got;
}

TEST(Adamw, AgainstDoublePrecision) {
    auto random = test::generator();
    for (const std::size_t n : {1, 7, 8, 9, 500, 4099}) {
        for (const Dtype dtype : {Dtype::Fp32, Dtype::Bf16}) {
            check({n, dtype, test::small_target(), {}}, random);
            check({n, dtype, test::odd_target(), {true, 5}}, random);
        }
    }
    check({65536 + 300, Dtype::Bf16, test::trn1_target(), {}}, random);
}

TEST(Adamw, StochasticRoundingFollowsTheSeed) {
    auto random = test::generator();
    const auto run = [&](std::uint32_t seed) {
        return check({3000, Dtype::Bf16, test::small_target(), {true, seed}}, random).w;
    };
    const Numbers seven = run(7);
    EXPECT_EQ(seven, run(7));
    EXPECT_NE(seven, run(8));
}

}  // namespace
}  // namespace trnsim
