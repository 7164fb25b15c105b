// Runs the matmul kernel on the verilated core in the whole system and compares every bit with the host
// reference: for all element types, on the full core and, with many random shapes, on a small one.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "arch/numerics/matmul_reference.hpp"
#include "arch/target/target.hpp"
#include "common/random.hpp"
#include "compiler/kernels/registry.hpp"
#include "rtl_bench.hpp"
#include "tensors.hpp"

namespace trnsim::test {
namespace {

using isa::Dtype;

constexpr std::array Types{Dtype::Bf16,    Dtype::Fp16,    Dtype::Tf32,   Dtype::Fp32,
                           Dtype::Fp8E4m3, Dtype::Fp8E5m2, Dtype::Fp8E3m4};

// Returns ordinary values, or (`raw`) random bit patterns including infinities, NaN and subnormals. tf32
// values lack the bits that loading rounds.
Bits random_bits(std::mt19937_64& random, std::size_t count, Dtype dtype, bool raw) {
    if (!raw) return random_tensor(random, count, dtype);
    const int width = 8 * numerics::storage_bytes(dtype);
    Bits bits(count);
    const std::uint32_t used = dtype == Dtype::Tf32 ? 0xffffe000 : 0xffffffff;
    for (std::uint32_t& element : bits)
        element = (static_cast<std::uint32_t>(random()) & used) >> (32 - width);
    return bits;
}

void check_matmul(const std::string& config_name, std::size_t m, std::size_t k, std::size_t n, Dtype dtype,
                  bool raw, std::mt19937_64& random) {
    SCOPED_TRACE(fmt::format("matmul M={} K={} N={} {} {} on {}", m, k, n, name_of(dtype),
                             raw ? "raw bits" : "values", config_name));
    const config::Config config = config::load(config_name);
    const neff::Package package = kernels::build_kernel("matmul",
                                                        {{"M", std::to_string(m)},
                                                         {"K", std::to_string(k)},
                                                         {"N", std::to_string(n)},
                                                         {"dtype", std::string(name_of(dtype))}},
                                                        target::of(config));
    const Bits a = random_bits(random, k * m, dtype, raw), b = random_bits(random, k * n, dtype, raw);
    const Bytes expected =
        pack(numerics::tensor_matmul_reference(a, b, {m, n, k}, dtype, config.core.array.rows));
    const Bytes got = run_on_rtl(package, config,
                                 {{"a", loader::from_device(package.tensors[0], pack(a, dtype))},
                                  {"b", loader::from_device(package.tensors[1], pack(b, dtype))}});
    expect_same(got, expected);
}

TEST(RtlMatmul, EveryTypeOnTheFullCore) {
    auto random = generator();
    for (const Dtype dtype : Types) check_matmul("trn1", 300, 777, 600, dtype, false, random);
}

TEST(RtlMatmul, SmallestShapes) {
    auto random = generator();
    for (const Dtype dtype : Types) check_matmul("trn1", 1, 1, 1, dtype, true, random);
    check_matmul("trn1", 129, 1, 513, Dtype::Bf16, true, random);
    check_matmul("trn1", 1, 129, 1, Dtype::Fp32, true, random);
}

TEST(RtlMatmul, RandomShapesOnASmallCore) {
    auto random = generator();
    const int cases = static_cast<int>(21 * heavy_scale());
    for (int i = 0; i < cases; ++i) {
        const auto size = [&](std::size_t most) { return 1 + random() % most; };
        check_matmul("small16", size(70), size(90), size(1100), Types[i % Types.size()], i % 2 == 1, random);
    }
}

}  // namespace
}  // namespace trnsim::test
