// Tests kernels of several ranks in the interpreter. The host computes the sums and concatenations of
// collectives; results are compared with double precision or with the same kernel on one rank.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

#include "common/random.hpp"
#include "compiler/kernels/kernel_bench.hpp"
#include "testbench/functional/ranks.hpp"

namespace trnsim {
namespace {

using collectives::Operation;
using functional::Bytes;
using isa::Dtype;
using test::Numbers;

using Arguments = std::map<std::string, std::string>;

Numbers numbers_of(const Bytes& packed, Dtype dtype) {
    const auto bytes = static_cast<std::size_t>(numerics::storage_bytes(dtype));
    Numbers values;
    for (std::size_t i = 0; i < packed.size(); i += bytes) {
        std::uint32_t element = 0;
        std::memcpy(&element, &packed[i], bytes);
        values.push_back(numerics::to_fp32(element, dtype));
    }
    return values;
}

Bytes bytes_of(const Numbers& values, Dtype dtype) {
    test::Bits bits;
    for (const double value : values) bits.push_back(numerics::from_fp32(static_cast<float>(value), dtype));
    return test::pack(bits, dtype);
}

// Returns the outputs of a collective: sums in double precision, or the inputs of the ranks one after the
// other.
std::vector<std::optional<Bytes>> carry_out(const neff::Collective& collective,
                                            const std::vector<Bytes>& inputs) {
    const Dtype dtype = collective.request.dtype;
    Bytes output;
    if (collective.request.operation == Operation::AllGather) {
        for (const Bytes& input : inputs) output.insert(output.end(), input.begin(), input.end());
    } else {
        Numbers sum(collective.request.count);
        for (const Bytes& input : inputs) {
            const Numbers values = numbers_of(input, dtype);
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
        }
        output = bytes_of(sum, dtype);
    }
    return std::vector<std::optional<Bytes>>(inputs.size(), output);
}

// Runs one kernel on all ranks.
class RanksBench {
  public:
    RanksBench(const std::string& kernel, const Arguments& arguments, const target::Core& target,
               std::size_t ranks, std::uint64_t seed)
        : package_(kernels::build_kernel(kernel, arguments, target)),
          machine_(std::vector<const neff::Package*>(ranks, &package_), carry_out,
                   functional::in_order(seed % 8)) {}

    // Sets the tensor and returns its contents, rounded to its type.
    Numbers set(std::size_t rank, const std::string& name, const Numbers& values) {
        const Bytes bytes = bytes_of(values, dtype_of(name));
        machine_.set(rank, name, bytes);
        return numbers_of(bytes, dtype_of(name));
    }
    void run() { machine_.run(); }
    Numbers get(std::size_t rank, const std::string& name) const {
        return numbers_of(machine_.get(rank, name), dtype_of(name));
    }

  private:
    Dtype dtype_of(const std::string& name) const {
        for (const neff::Tensor& tensor : package_.tensors)
            if (tensor.name == name) return tensor.dtype;
        throw std::runtime_error("no tensor " + name);
    }

    neff::Package package_;
    functional::Ranks machine_;
};

// Returns columns, or rows, [first, first + count) of a matrix of `columns` columns.
Numbers columns_of(const Numbers& matrix, std::size_t columns, std::size_t first, std::size_t count) {
    Numbers part;
    for (std::size_t row = 0; row < matrix.size() / columns; ++row) {
        const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(row * columns + first);
        part.insert(part.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    return part;
}
Numbers rows_of(const Numbers& matrix, std::size_t columns, std::size_t first, std::size_t count) {
    const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(first * columns);
    return {begin, begin + static_cast<std::ptrdiff_t>(count * columns)};
}

TEST(RankKernels, AdamwTakesTheMeanOfAllGradients) {
    auto random = test::generator();
    for (const std::size_t ranks : {2, 3, 5}) {
        for (const std::size_t n : {1, 9, 500, 4099}) {
            RanksBench bench("adamw",
                             {{"n", std::to_string(n)},
                              {"dtype", "fp32"},
                              {"lr", "0.02"},
                              {"beta1", "0.8"},
                              {"beta2", "0.95"},
                              {"weight_decay", "0.1"},
                              {"ranks", std::to_string(ranks)}},
                             test::small_target(), ranks, random());
            Numbers mean(n), w = test::random_numbers(random, n), zeros(n);
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                w = bench.set(rank, "w", w);
                const Numbers g = bench.set(rank, "g", test::random_numbers(random, n, 0, 0.1));
                for (std::size_t i = 0; i < n; ++i) mean[i] += g[i] / static_cast<double>(ranks);
                bench.set(rank, "m", zeros);
                bench.set(rank, "v", zeros);
            }
            bench.run();
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                const Numbers w1 = bench.get(rank, "w"), m1 = bench.get(rank, "m"), v1 = bench.get(rank, "v");
                for (std::size_t i = 0; i < n; ++i) {
                    // The sum is rounded once, so errors are in proportion to the terms, not to the mean.
                    const double m = 0.2 * mean[i], v = 0.05 * mean[i] * mean[i];
                    ASSERT_NEAR(m1[i], m, 0x1p-20 * 0.2) << ranks << " ranks, element " << i;
                    ASSERT_NEAR(v1[i], v, 0x1p-20 * 0.05);
                    // The step has the sign of the mean and nearly unit size, unless the mean is almost zero.
                    if (std::abs(mean[i]) < 1e-4) continue;
                    const double expected = w[i] * (1 - 0.002) - 0.02 * mean[i] / (std::abs(mean[i]) + 1e-8);
                    ASSERT_NEAR(w1[i], expected, 1e-4);
                }
                EXPECT_EQ(w1, bench.get(0, "w")) << "the ranks do not agree";
            }
        }
    }
}

TEST(RankKernels, AllGatherMatmul) {
    auto random = test::generator();
    struct Case {
        std::size_t m, k, n, ranks, pieces;
    };
    for (const Case c : {Case{1, 1, 1, 2, 1}, Case{6, 13, 9, 3, 2}, Case{12, 20, 17, 4, 3},
                         Case{9, 8, 30, 1, 3}, Case{24, 33, 40, 2, 4}}) {
        SCOPED_TRACE(fmt::format("M {} K {} N {}, {} ranks, {} pieces", c.m, c.k, c.n, c.ranks, c.pieces));
        RanksBench bench("all_gather_matmul",
                         {{"M", std::to_string(c.m)},
                          {"K", std::to_string(c.k)},
                          {"N", std::to_string(c.n)},
                          {"dtype", "bf16"},
                          {"ranks", std::to_string(c.ranks)},
                          {"pieces", std::to_string(c.pieces)}},
                         test::small_target(), c.ranks, random());
        Numbers x;
        std::vector<Numbers> w;
        for (std::size_t rank = 0; rank < c.ranks; ++rank) {
            const Numbers own = bench.set(rank, "x", test::random_numbers(random, c.m * c.k));
            x.insert(x.end(), own.begin(), own.end());
            w.push_back(bench.set(rank, "w", test::random_numbers(random, c.k * c.n)));
        }
        bench.run();
        for (std::size_t rank = 0; rank < c.ranks; ++rank) {
            const Numbers y = bench.get(rank, "y");
            ASSERT_EQ(y.size(), c.ranks * c.m * c.n);
            for (std::size_t i = 0; i < y.size(); ++i) {
                double sum = 0, size = 0;
                for (std::size_t k = 0; k < c.k; ++k) {
                    const double product = x[i / c.n * c.k + k] * w[rank][k * c.n + i % c.n];
                    sum += product;
                    size += std::abs(product);
                }
                ASSERT_NEAR(y[i], sum, size * 0x1p-20 + 1e-30) << "rank " << rank << ", element " << i;
            }
        }
    }
}

// A block divided among ranks gives the result of a block on one rank, except for the roundings of partial
// sums.
TEST(RankKernels, TransformerBlockOfSeveralRanksIsThatOfOne) {
    auto random = test::generator();
    struct Case {
        std::size_t seq, width, heads, ranks;
    };
    for (const Case c : {Case{7, 8, 2, 2}, Case{13, 12, 6, 3}, Case{20, 24, 4, 4}}) {
        SCOPED_TRACE(fmt::format("seq {} width {} heads {}, {} ranks", c.seq, c.width, c.heads, c.ranks));
        const auto arguments = [&](std::size_t ranks) {
            return Arguments{{"seq", std::to_string(c.seq)},
                             {"width", std::to_string(c.width)},
                             {"heads", std::to_string(c.heads)},
                             {"dtype", "fp32"},
                             {"ranks", std::to_string(ranks)}};
        };
        test::KernelBench one("transformer_block", arguments(1), test::small_target(), random());
        RanksBench many("transformer_block", arguments(c.ranks), test::small_target(), c.ranks, random());
        const std::size_t w = c.width, own = w / c.ranks, hidden = 4 * w, own_hidden = 4 * own;
        const double deviation = 1 / std::sqrt(static_cast<double>(w));
        const auto whole = [&](const char* name, std::size_t count, double mean, double spread) {
            const Numbers values = one.set(name, test::random_numbers(random, count, mean, spread));
            return values;
        };
        const auto same = [&](const char* name, std::size_t count, double mean, double spread) {
            const Numbers values = whole(name, count, mean, spread);
            for (std::size_t rank = 0; rank < c.ranks; ++rank) many.set(rank, name, values);
        };
        const auto by_columns = [&](const char* name, std::size_t rows, std::size_t columns,
                                    std::size_t part) {
            const Numbers values = whole(name, rows * columns, 0, deviation);
            for (std::size_t rank = 0; rank < c.ranks; ++rank)
                many.set(rank, name, columns_of(values, columns, rank * part, part));
        };
        const auto by_rows = [&](const char* name, std::size_t rows, std::size_t columns, std::size_t part) {
            const Numbers values = whole(name, rows * columns, 0, deviation / 2);
            for (std::size_t rank = 0; rank < c.ranks; ++rank)
                many.set(rank, name, rows_of(values, columns, rank * part, part));
        };
        same("x", c.seq * w, 0, 1);
        same("gamma1", w, 1, 0.2);
        same("beta1", w, 0, 0.2);
        for (const char* name : {"wq", "wk", "wv"}) by_columns(name, w, w, own);
        by_rows("wo", w, w, own);
        same("gamma2", w, 1, 0.2);
        same("beta2", w, 0, 0.2);
        by_columns("w1", w, hidden, own_hidden);
        by_columns("b1", 1, hidden, own_hidden);
        by_rows("w2", hidden, w, own_hidden);
        same("b2", w, 0, 0.2);
        one.run();
        many.run();
        const Numbers expected = one.get("y");
        for (std::size_t rank = 0; rank < c.ranks; ++rank) {
            const Numbers y = many.get(rank, "y");
            ASSERT_EQ(y.size(), expected.size());
            for (std::size_t i = 0; i < y.size(); ++i)
                ASSERT_NEAR(y[i], expected[i], 2e-5) << "rank " << rank << ", element " << i;
        }
    }
}

TEST(RankKernels, RanksThatDoNotDivideAreRefused) {
    EXPECT_THROW(kernels::build_kernel("transformer_block",
                                       {{"seq", "4"}, {"width", "12"}, {"heads", "3"}, {"ranks", "2"}},
                                       test::small_target()),
                 kernels::ArgumentError);
    EXPECT_THROW(
        kernels::build_kernel("all_gather_matmul", {{"M", "4"}, {"K", "12"}, {"N", "3"}, {"pieces", "3"}},
                              test::small_target()),
        kernels::ArgumentError);
}

}  // namespace
}  // namespace trnsim
