// The built-in kernels on the verilated core in the whole system, protocol checkers on every socket: every
// bit of every output against host references, for all element types, on the full core and, with many random
// shapes, on a small one.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "common/random.hpp"
#include "tensors.hpp"
#include "testbench/builder/target.hpp"
#include "testbench/cli/isolated.hpp"
#include "testbench/functional/machine.hpp"
#include "testbench/kernels/registry.hpp"
#include "testbench/numerics/matmul_reference.hpp"
#include "testbench/runtime/chip_machine.hpp"
#include "testbench/runtime/runner.hpp"

namespace trnsim::test {
namespace {

using isa::Dtype;

constexpr std::array Types{Dtype::Bf16,    Dtype::Fp16,    Dtype::Tf32,   Dtype::Fp32,
                           Dtype::Fp8E4m3, Dtype::Fp8E5m2, Dtype::Fp8E3m4};

using Bytes = std::vector<std::uint8_t>;

// The array a user would load for these storage bytes.
npy::Array as_array(Bytes bytes, std::vector<std::uint64_t> shape, Dtype dtype) {
    const npy::Type type = dtype == Dtype::Bf16                  ? npy::Type::V2
                           : dtype == Dtype::Fp16                ? npy::Type::F2
                           : numerics::storage_bytes(dtype) == 1 ? npy::Type::V1
                                                                 : npy::Type::F4;
    return {type, std::move(shape), std::move(bytes)};
}

// Bytes of output `name` after a run on the RTL, in a process of its own.
Bytes run_on_rtl(const neff::Package& package, const config::Config& config, const runtime::Arrays& inputs,
                 const std::string& name) {
    const std::string text = cli::run_isolated([&] {
        runtime::Observer observer(package, nullptr);
        const runtime::Prepared prepared = runtime::prepare(package, config, inputs);
        runtime::ChipMachine machine(config, &observer, true);
        const runtime::Result result = runtime::execute(machine, package, prepared, observer);
        if (!result.done()) throw std::runtime_error(result.message);
        for (const std::string& violation : machine.protocol_violations())
            throw std::runtime_error(violation);
        const Bytes& data = result.outputs.at(name).data;
        return std::string(data.begin(), data.end());
    });
    return {text.begin(), text.end()};
}

// Ordinary values, or random bit patterns: infinities, NaN and subnormals included. tf32 without the bits
// that loading rounds.
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
                                                        builder::target_of(config));
    const Bits a = random_bits(random, k * m, dtype, raw), b = random_bits(random, k * n, dtype, raw);
    const Bytes expected =
        pack(numerics::tensor_matmul_reference(a, b, {m, n, k}, dtype, config.core.array.rows));
    const Bytes got = run_on_rtl(
        package, config,
        {{"a", as_array(pack(a, dtype), {k, m}, dtype)}, {"b", as_array(pack(b, dtype), {k, n}, dtype)}},
        "c");
    ASSERT_EQ(got.size(), expected.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != expected[i];
    EXPECT_EQ(wrong, 0u) << "bytes of " << got.size();
}

TEST(RtlKernels, MatmulOfEveryTypeOnTheFullCore) {
    auto random = generator();
    for (const Dtype dtype : Types) check_matmul("trn1", 300, 777, 600, dtype, false, random);
}

TEST(RtlKernels, MatmulOfSmallestShapes) {
    auto random = generator();
    for (const Dtype dtype : Types) check_matmul("trn1", 1, 1, 1, dtype, true, random);
    check_matmul("trn1", 129, 1, 513, Dtype::Bf16, true, random);
    check_matmul("trn1", 1, 129, 1, Dtype::Fp32, true, random);
}

TEST(RtlKernels, RandomMatmulsOnASmallCore) {
    auto random = generator();
    const int cases = static_cast<int>(21 * scale());
    for (int i = 0; i < cases; ++i) {
        const auto size = [&](std::size_t most) { return 1 + random() % most; };
        check_matmul("small16", size(70), size(90), size(1100), Types[i % Types.size()], i % 2 == 1, random);
    }
}

void check_mlp(const std::string& config_name, std::array<std::size_t, 4> shape, Dtype dtype,
               std::mt19937_64& random) {
    const auto [batch, inputs, hidden, outputs] = shape;
    SCOPED_TRACE(fmt::format("mlp batch={} inputs={} hidden={} outputs={} {} on {}", batch, inputs, hidden,
                             outputs, name_of(dtype), config_name));
    const config::Config config = config::load(config_name);
    const neff::Package package = kernels::build_kernel("mlp",
                                                        {{"batch", std::to_string(batch)},
                                                         {"inputs", std::to_string(inputs)},
                                                         {"hidden", std::to_string(hidden)},
                                                         {"outputs", std::to_string(outputs)},
                                                         {"dtype", std::string(name_of(dtype))}},
                                                        builder::target_of(config));
    functional::Machine golden(package);
    runtime::Arrays arrays;
    for (const neff::Tensor& tensor : package.tensors) {
        if (tensor.kind != neff::TensorKind::Input) continue;
        std::size_t count = 1;
        for (const std::uint64_t extent : tensor.shape) count *= extent;
        const Bytes bytes = pack(random_tensor(random, count, tensor.dtype), tensor.dtype);
        golden.set(tensor.name, bytes);
        arrays.emplace(tensor.name, as_array(bytes, tensor.shape, tensor.dtype));
    }
    golden.run();
    EXPECT_EQ(run_on_rtl(package, config, arrays, "y"), golden.get("y"));
}

TEST(RtlKernels, MlpLikeTheInterpreter) {
    auto random = generator();
    check_mlp("trn1", {200, 70, 150, 10}, Dtype::Bf16, random);
    const int cases = static_cast<int>(7 * scale());
    for (int i = 0; i < cases; ++i) {
        const auto size = [&](std::size_t most) { return 1 + random() % most; };
        check_mlp("small16", {size(600), size(40), size(40), size(20)}, Types[i % Types.size()], random);
    }
}

}  // namespace
}  // namespace trnsim::test
