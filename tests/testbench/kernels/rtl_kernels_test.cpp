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
#include "testbench/runtime/tensor_io.hpp"

namespace trnsim::test {
namespace {

using isa::Dtype;

constexpr std::array Types{Dtype::Bf16,    Dtype::Fp16,    Dtype::Tf32,   Dtype::Fp32,
                           Dtype::Fp8E4m3, Dtype::Fp8E5m2, Dtype::Fp8E3m4};

using Bytes = std::vector<std::uint8_t>;

// Bytes of the outputs, one after the other, after a run on the RTL in a process of its own.
Bytes run_on_rtl(const neff::Package& package, const config::Config& config, const runtime::Arrays& inputs) {
    const std::string text = cli::run_isolated([&] {
        runtime::Observer observer(package, nullptr);
        const runtime::Prepared prepared = runtime::prepare(package, config, inputs);
        runtime::ChipMachine machine(config, &observer, true);
        const runtime::Result result = runtime::execute(machine, package, prepared, observer);
        if (!result.done()) throw std::runtime_error(result.message);
        for (const std::string& violation : machine.protocol_violations())
            throw std::runtime_error(violation);
        std::string bytes;
        for (const neff::Tensor& tensor : package.tensors) {
            if (tensor.kind != neff::TensorKind::Output) continue;
            const Bytes& data = result.outputs.at(tensor.name).data;
            bytes.append(data.begin(), data.end());
        }
        return bytes;
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

void expect_same(const Bytes& got, const Bytes& expected) {
    ASSERT_EQ(got.size(), expected.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != expected[i];
    EXPECT_EQ(wrong, 0u) << "bytes of " << got.size();
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
    const Bytes got = run_on_rtl(package, config,
                                 {{"a", runtime::from_device(package.tensors[0], pack(a, dtype))},
                                  {"b", runtime::from_device(package.tensors[1], pack(b, dtype))}});
    expect_same(got, expected);
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

// Any kernel against the interpreter. Integer inputs are labels: columns of the first tensor.
void check_kernel(const std::string& kernel, const std::string& config_name,
                  const std::map<std::string, std::string>& arguments, std::mt19937_64& random) {
    const config::Config config = config::load(config_name);
    const neff::Package package = kernels::build_kernel(kernel, arguments, builder::target_of(config));
    SCOPED_TRACE(fmt::format("{} {} on {}", kernel, package.arguments, config_name));
    functional::Machine golden(package);
    runtime::Arrays arrays;
    for (const neff::Tensor& tensor : package.tensors) {
        if (tensor.kind != neff::TensorKind::Input) continue;
        std::size_t count = 1;
        for (const std::uint64_t extent : tensor.shape) count *= extent;
        Bits bits(count);
        if (numerics::is_float(tensor.dtype)) {
            bits = random_tensor(random, count, tensor.dtype);
        } else {
            for (std::uint32_t& label : bits)
                label = static_cast<std::uint32_t>(random() % package.tensors[0].shape.back());
        }
        golden.set(tensor.name, pack(bits, tensor.dtype));
        arrays.emplace(tensor.name, runtime::from_device(tensor, pack(bits, tensor.dtype)));
    }
    golden.run();
    Bytes expected;
    for (const neff::Tensor& tensor : package.tensors) {
        if (tensor.kind != neff::TensorKind::Output) continue;
        const Bytes& bytes = golden.get(tensor.name);
        expected.insert(expected.end(), bytes.begin(), bytes.end());
    }
    expect_same(run_on_rtl(package, config, arrays), expected);
}

TEST(RtlKernels, MlpLikeTheInterpreter) {
    auto random = generator();
    check_kernel("mlp", "trn1", {{"batch", "200"}, {"inputs", "70"}, {"hidden", "150"}, {"outputs", "10"}},
                 random);
    const int cases = static_cast<int>(7 * scale());
    for (int i = 0; i < cases; ++i) {
        const auto size = [&](std::size_t most) { return std::to_string(1 + random() % most); };
        check_kernel("mlp", "small16",
                     {{"batch", size(600)},
                      {"inputs", size(40)},
                      {"hidden", size(40)},
                      {"outputs", size(20)},
                      {"dtype", std::string(name_of(Types[i % Types.size()]))}},
                     random);
    }
}

TEST(RtlKernels, ReductionsLikeTheInterpreter) {
    auto random = generator();
    for (const std::string op : {"add", "max", "min", "multiply"}) {
        for (const std::string axis : {"0", "1"}) {
            const auto size = [&](std::size_t most) { return std::to_string(1 + random() % most); };
            check_kernel("reduce", "small16",
                         {{"rows", size(60)}, {"cols", size(300)}, {"op", op}, {"axis", axis}}, random);
        }
    }
}

TEST(RtlKernels, TranspositionLikeTheInterpreter) {
    auto random = generator();
    for (const std::string dtype : {"fp32", "bf16", "fp8_e4m3"}) {
        for (const int most : {4, 200}) {
            const auto size = [&] { return std::to_string(1 + random() % most); };
            check_kernel("transpose", "small16", {{"rows", size()}, {"cols", size()}, {"dtype", dtype}},
                         random);
        }
    }
}

TEST(RtlKernels, CrossEntropyLikeTheInterpreter) {
    auto random = generator();
    for (const auto& [rows, classes] : {std::pair{"1", "1"}, {"37", "10"}, {"5", "3000"}})
        check_kernel("cross_entropy", "small16", {{"rows", rows}, {"classes", classes}}, random);
}

TEST(RtlKernels, LayernormBackwardLikeTheInterpreter) {
    auto random = generator();
    for (const auto& [rows, cols, dtype] :
         {std::tuple{"1", "1", "fp32"}, {"37", "65", "bf16"}, {"20", "2000", "fp32"}}) {
        check_kernel("layernorm_backward", "small16", {{"rows", rows}, {"cols", cols}, {"dtype", dtype}},
                     random);
    }
}

}  // namespace
}  // namespace trnsim::test
