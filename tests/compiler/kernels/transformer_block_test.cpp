// Compares the transformer block in the interpreter with double precision that rounds where the kernel stores
// a matrix in its type.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "common/random.hpp"
#include "compiler/kernels/kernel_bench.hpp"

namespace trnsim {
namespace {

using isa::Dtype;
using test::KernelBench;
using test::Numbers;

struct Matrix {
    std::size_t rows, cols;
    Numbers at;
    double operator()(std::size_t r, std::size_t c) const { return at[r * cols + c]; }
};

Matrix multiply(const Matrix& a, const Matrix& b) {
    Matrix c{a.rows, b.cols, Numbers(a.rows * b.cols)};
    for (std::size_t i = 0; i < a.rows; ++i) {
        for (std::size_t k = 0; k < a.cols; ++k) {
            for (std::size_t j = 0; j < b.cols; ++j) c.at[i * b.cols + j] += a(i, k) * b(k, j);
        }
    }
    return c;
}

Matrix layernorm(const Matrix& x, const Numbers& gamma, const Numbers& beta) {
    Matrix y = x;
    const auto n = static_cast<double>(x.cols);
    for (std::size_t i = 0; i < x.rows; ++i) {
        double mean = 0, variance = 0;
        for (std::size_t j = 0; j < x.cols; ++j) mean += x(i, j) / n;
        for (std::size_t j = 0; j < x.cols; ++j) variance += (x(i, j) - mean) * (x(i, j) - mean) / n;
        for (std::size_t j = 0; j < x.cols; ++j)
            y.at[i * x.cols + j] = (x(i, j) - mean) / std::sqrt(variance + 1e-5) * gamma[j] + beta[j];
    }
    return y;
}

struct Case {
    std::size_t seq, width, heads;
    bool causal;
    Dtype dtype;
    target::Core target;
};

class Reference {
  public:
    explicit Reference(const Case& c) : c_(c) {}

    Matrix rounded(Matrix m) const {
        for (double& x : m.at)
            x = numerics::to_fp32(numerics::from_fp32(static_cast<float>(x), c_.dtype), c_.dtype);
        return m;
    }
    Matrix attention(const Matrix& q, const Matrix& k, const Matrix& v) const {
        Matrix o{c_.seq, c_.width, Numbers(c_.seq * c_.width)};
        const std::size_t dim = c_.width / c_.heads;
        for (std::size_t i = 0; i < c_.seq; ++i) {
            for (std::size_t head = 0; head < c_.heads; ++head) {
                Numbers weights;
                double sum = 0;
                for (std::size_t j = 0; j < (c_.causal ? i + 1 : c_.seq); ++j) {
                    double score = 0;
                    for (std::size_t d = 0; d < dim; ++d)
                        score += q(i, head * dim + d) * k(j, head * dim + d);
                    weights.push_back(std::exp(score / std::sqrt(static_cast<double>(dim))));
                    sum += weights.back();
                }
                for (std::size_t j = 0; j < weights.size(); ++j) {
                    for (std::size_t d = 0; d < dim; ++d)
                        o.at[i * c_.width + head * dim + d] += weights[j] / sum * v(j, head * dim + d);
                }
            }
        }
        return o;
    }

  private:
    Case c_;
};

void check(const Case& c, std::mt19937_64& random) {
    SCOPED_TRACE(fmt::format("seq {} width {} heads {} {} on {} rows", c.seq, c.width, c.heads,
                             isa::name_of(c.dtype), c.target.rows));
    KernelBench bench("transformer_block",
                      {{"seq", std::to_string(c.seq)},
                       {"width", std::to_string(c.width)},
                       {"heads", std::to_string(c.heads)},
                       {"causal", c.causal ? "1" : "0"},
                       {"dtype", std::string(isa::name_of(c.dtype))}},
                      c.target, random());
    const std::size_t w = c.width, hidden = 4 * w;
    const auto matrix = [&](const char* name, std::size_t rows, std::size_t cols, double deviation) {
        return Matrix{rows, cols, bench.set(name, test::random_numbers(random, rows * cols, 0, deviation))};
    };
    const auto vector = [&](const char* name, std::size_t count, double mean) {
        return bench.set(name, test::random_numbers(random, count, mean, 0.2));
    };
    const double deviation = 1 / std::sqrt(static_cast<double>(w));  // keeps matrices at about unit size
    const Matrix x = matrix("x", c.seq, w, 1);
    const Numbers gamma1 = vector("gamma1", w, 1), beta1 = vector("beta1", w, 0);
    const Matrix wq = matrix("wq", w, w, deviation), wk = matrix("wk", w, w, deviation);
    const Matrix wv = matrix("wv", w, w, deviation), wo = matrix("wo", w, w, deviation);
    const Numbers gamma2 = vector("gamma2", w, 1), beta2 = vector("beta2", w, 0);
    const Matrix w1 = matrix("w1", w, hidden, deviation), w2 = matrix("w2", hidden, w, deviation / 2);
    const Numbers b1 = vector("b1", hidden, 0), b2 = vector("b2", w, 0);
    bench.run();

    const Reference reference(c);
    const auto rounded = [&](const Matrix& m) { return reference.rounded(m); };
    const Matrix normal = rounded(layernorm(x, gamma1, beta1));
    const Matrix mixed = rounded(reference.attention(
        rounded(multiply(normal, wq)), rounded(multiply(normal, wk)), rounded(multiply(normal, wv))));
    Matrix h = multiply(mixed, wo);
    for (std::size_t i = 0; i < h.at.size(); ++i) h.at[i] += x.at[i];
    Matrix inner = multiply(rounded(layernorm(h, gamma2, beta2)), w1);
    for (std::size_t i = 0; i < inner.at.size(); ++i) {
        const double z = inner.at[i] + b1[i % hidden];
        inner.at[i] = z * std::erfc(-z / std::sqrt(2.0)) / 2;
    }
    Matrix y = multiply(rounded(inner), w2);
    for (std::size_t i = 0; i < y.at.size(); ++i) y.at[i] += b2[i % w] + h.at[i];

    // An element of unit size goes through about ten roundings to dtype; if kernel and reference round a tie
    // to different sides, they differ by one unit. The sum of these differences behaves like noise, so ten
    // units of the output's size are very unlikely.
    const Numbers got = bench.get("y");
    const double unit = 2 * test::unit_roundoff(c.dtype);
    for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], y.at[i], unit * (10 + 4 * std::abs(y.at[i])) + 1e-5) << "element " << i;
}

TEST(TransformerBlock, SmallShapes) {
    auto random = test::generator();
    const target::Core small = test::square_target(8, 64 << 10, 16 << 10, 8);
    const target::Core middle = test::square_target(16, 64 << 10, 16 << 10, 8);
    for (const Case& c :
         {Case{1, 1, 1, false, Dtype::Fp32, small}, Case{5, 12, 3, true, Dtype::Fp32, small},
          Case{20, 24, 2, false, Dtype::Bf16, small}, Case{17, 40, 4, true, Dtype::Bf16, middle},
          Case{40, 33, 1, false, Dtype::Fp16, middle},
          Case{33, 16, 16, true, Dtype::Fp32, test::odd_target()}}) {
        ASSERT_NO_FATAL_FAILURE(check(c, random));
    }
}

TEST(TransformerBlock, OnTrn1) {
    auto random = test::generator();
    check({128, 256, 4, true, Dtype::Bf16, test::trn1_target()}, random);
}

TEST(TransformerBlock, HeadsDivideTheWidth) {
    EXPECT_THROW(kernels::build_kernel("transformer_block", {{"seq", "4"}, {"width", "10"}, {"heads", "3"}},
                                       test::small_target()),
                 std::runtime_error);
}

}  // namespace
}  // namespace trnsim
