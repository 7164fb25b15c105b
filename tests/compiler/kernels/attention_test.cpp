// Compares the attention kernel in the interpreter with double precision.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "common/random.hpp"
#include "compiler/kernels/kernel_bench.hpp"

namespace trnsim {
namespace {

using isa::Dtype;
using test::KernelBench;
using test::Numbers;

struct Case {
    std::size_t seq, dim;
    bool causal;
    Dtype dtype;
    target::Core target;
};

struct Expected {
    Numbers value, tolerance;
};

// If `exact_scores`, fp32 holds the products of q and k exactly. Then the errors of subtracting, scaling and
// the exponential depend on the distance to the maximum, however large the scores are.
Expected attention(const Case& c, const Numbers& q, const Numbers& k, const Numbers& v, bool exact_scores) {
    constexpr double Fp32 = 0x1p-24;
    const double scale = 1 / std::sqrt(static_cast<double>(c.dim));
    const double own = test::unit_roundoff(c.dtype) * 1.01;
    Expected all;
    for (std::size_t i = 0; i < c.seq; ++i) {
        const std::size_t keys = c.causal ? i + 1 : c.seq;
        Numbers scores(keys), sizes(keys);
        for (std::size_t j = 0; j < keys; ++j) {
            for (std::size_t d = 0; d < c.dim; ++d) {
                scores[j] += scale * q[i * c.dim + d] * k[j * c.dim + d];
                sizes[j] += scale * std::abs(q[i * c.dim + d] * k[j * c.dim + d]);
            }
        }
        const double largest = *std::ranges::max_element(scores);
        const double size = *std::ranges::max_element(sizes);
        double sum = 0;
        for (const double score : scores) sum += std::exp(score - largest);
        // The relative error of a probability: its score in dim steps (four passes), scale, shift; exp within
        // 2 ulp, and a correction for every group; the sum over the keys; its rounding to dtype. The product
        // adds as many steps.
        const auto dim = static_cast<double>(c.dim), count = static_cast<double>(keys);
        const double counted = (2 * count + 8 * count + 16) * Fp32 + own;
        const double relative = exact_scores ? counted : 2 * (4 * dim + 12) * size * Fp32 + counted;
        for (std::size_t d = 0; d < c.dim; ++d) {
            double value = 0, magnitude = 0;
            for (std::size_t j = 0; j < keys; ++j) {
                const double distance = largest - scores[j];
                const double weight = std::exp(-distance) / sum;
                value += weight * v[j * c.dim + d];
                magnitude += weight * std::abs(v[j * c.dim + d]) *
                             (relative + (exact_scores ? 6 * std::min(distance, 200.0) * Fp32 : 0));
            }
            all.value.push_back(value);
            all.tolerance.push_back(magnitude + std::abs(value) * own + 0x1p-24);
        }
    }
    return all;
}

struct Operands {
    Numbers q, k;
};

void check(const Case& c, std::mt19937_64& random, const Operands* given = nullptr) {
    SCOPED_TRACE(fmt::format("seq {} dim {} causal {} {} on {} rows", c.seq, c.dim, c.causal,
                             isa::name_of(c.dtype), c.target.rows));
    KernelBench bench("attention",
                      {{"seq", std::to_string(c.seq)},
                       {"dim", std::to_string(c.dim)},
                       {"causal", c.causal ? "1" : "0"},
                       {"dtype", std::string(isa::name_of(c.dtype))}},
                      c.target, random());
    const Numbers q = bench.set("q", given ? given->q : test::random_numbers(random, c.seq * c.dim, 0, 2));
    const Numbers k = bench.set("k", given ? given->k : test::random_numbers(random, c.seq * c.dim));
    const Numbers v = bench.set("v", test::random_numbers(random, c.seq * c.dim));
    bench.run();
    const Numbers got = bench.get("o");
    const Expected want = attention(c, q, k, v, given != nullptr);
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_LE(std::abs(got[i] - want.value[i]), want.tolerance[i])
            << "row " << i / c.dim << " column " << i % c.dim << ": " << got[i] << ", " << want.value[i];
    }
}

TEST(Attention, CornersOfShapes) {
    auto random = test::generator();
    const target::Core small = test::small_target(), odd = test::odd_target();
    const target::Core middle = test::square_target(16, 64 << 10, 16 << 10, 8);
    for (const bool causal : {false, true}) {
        for (const Case& c :
             {Case{1, 1, causal, Dtype::Fp32, small}, Case{8, 8, causal, Dtype::Bf16, small},
              Case{9, 3, causal, Dtype::Fp32, small}, Case{70, 5, causal, Dtype::Bf16, small},
              Case{50, 20, causal, Dtype::Fp32, small}, Case{30, 9, causal, Dtype::Bf16, odd},
              Case{41, 17, causal, Dtype::Fp32, odd}, Case{100, 64, causal, Dtype::Bf16, middle},
              Case{130, 16, causal, Dtype::Fp16, middle}, Case{3, 300, causal, Dtype::Bf16, middle}}) {
            ASSERT_NO_FATAL_FAILURE(check(c, random));
        }
    }
}

TEST(Attention, RandomShapes) {
    auto random = test::generator();
    const target::Core targets[] = {test::small_target(), test::odd_target(),
                                    test::square_target(16, 64 << 10, 16 << 10, 8)};
    const Dtype types[] = {Dtype::Bf16, Dtype::Fp32, Dtype::Fp16};
    for (std::uint64_t i = 0; i < 18 * test::heavy_scale(); ++i) {
        const Case c{1 + random() % 90, 1 + random() % 24, random() % 2 != 0, types[i % 3],
                     targets[i / 3 % 3]};
        ASSERT_NO_FATAL_FAILURE(check(c, random));
    }
}

// Makes operands with q k.T = size^2 (high + low / 8 / size^2) exactly, with numbers of each key.
Operands large_scores(const Case& c, double size, const std::function<double()>& high,
                      const std::function<double()>& low) {
    Operands all{Numbers(c.seq * c.dim), Numbers(c.seq * c.dim)};
    for (std::size_t i = 0; i < c.seq; ++i) {
        all.q[i * c.dim] = size;
        all.q[i * c.dim + 1] = 1;
        all.k[i * c.dim] = size * high();
        all.k[i * c.dim + 1] = low() / 8;
    }
    return all;
}

std::vector<Case> large_cases() {
    std::vector<Case> cases;
    const target::Core middle = test::square_target(16, 64 << 10, 16 << 10, 8);
    for (const bool causal : {false, true}) {
        for (const Dtype dtype : {Dtype::Fp32, Dtype::Bf16, Dtype::Fp16}) {
            for (const std::size_t dim : {3, 4}) {  // 1 / sqrt(dim) is a power of two only for 4
                cases.push_back({70, dim, causal, dtype, test::small_target()});
                cases.push_back({41, dim, causal, dtype, test::odd_target()});
                cases.push_back({100, dim, causal, dtype, middle});
            }
        }
    }
    return cases;
}

// The scores are around 2^20 and differ by a few units: all keys count, and a rounding of the score would
// show.
TEST(Attention, SmallDifferencesOfLargeScores) {
    auto random = test::generator();
    for (const Case& c : large_cases()) {
        const Operands operands = large_scores(
            c, 0x1p10, [] { return 1; }, [&] { return static_cast<double>(random() % 128); });
        ASSERT_NO_FATAL_FAILURE(check(c, random, &operands));
    }
}

// The largest score wins, for scores of any finite size; a key after the query never counts, however large
// its score is.
TEST(Attention, HugeScores) {
    auto random = test::generator();
    for (const Case& c : large_cases()) {
        const double size = c.dtype == Dtype::Fp16 ? 0x1p14 : 0x1p60;
        for (const bool ascending : {false, true}) {
            int last = -64;
            const Operands operands = large_scores(
                c, size,
                [&] {
                    last = ascending ? std::min(last + 1, 64) : static_cast<int>(random() % 128) - 64;
                    return last / 32.0;
                },
                [] { return 0; });
            ASSERT_NO_FATAL_FAILURE(check(c, random, &operands));
        }
    }
}

TEST(Attention, OnTrn1) {
    auto random = test::generator();
    check({300, 64, true, Dtype::Bf16, test::trn1_target()}, random);
    check({1100, 32, false, Dtype::Bf16, test::trn1_target()}, random);
    check({200, 130, true, Dtype::Fp32, test::trn1_target()}, random);
}

}  // namespace
}  // namespace trnsim
