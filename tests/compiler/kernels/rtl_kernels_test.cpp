// Runs every built-in kernel on the verilated core in the whole system: the bits of every output are those of
// the interpreter, with random shapes on a small core, once on the full one, and with stochastic rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/random.hpp"
#include "compiler/kernels/registry.hpp"
#include "rtl_cases.hpp"
#include "runtime/session/trace_writer.hpp"

namespace trnsim::test {
namespace {

using isa::Dtype;

void check(const std::string& kernel, const std::string& config_name, const KernelArguments& arguments,
           std::mt19937_64& random) {
    const KernelCase subject(kernel, config::load(config_name), arguments, random);
    SCOPED_TRACE(subject.name());
    expect_same(subject.on_rtl(), subject.interpreted({}, random() % 6));
}

class RtlKernels : public ::testing::TestWithParam<KernelRow> {};

TEST_P(RtlKernels, RandomShapesOnASmallCore) {
    auto random = generator();
    for (std::uint64_t i = 0; i < GetParam().cases * heavy_scale(); ++i)
        check(GetParam().kernel, "small16", choose(GetParam().small, i, random), random);
}

TEST_P(RtlKernels, OnTheFullCore) {
    auto random = generator();
    check(GetParam().kernel, "trn1", choose(GetParam().full, 0, random), random);
}

// The trace contains every instruction with its description.
TEST_P(RtlKernels, WritesATrace) {
    auto random = generator();
    const KernelCase subject(GetParam().kernel, config::load("small16"), choose(GetParam().small, 0, random),
                             random);
    const std::string text = jobs::run_isolated([&] {
        std::ostringstream trace;
        runtime::TraceWriter writer(trace);
        runtime::Observer observer(subject.package, &writer);
        const runtime::Prepared prepared =
            runtime::prepare(subject.package, subject.config, subject.arrays());
        runtime::ChipMachine machine(subject.config, {.sink = &observer});
        const runtime::Result result = runtime::execute(machine, subject.package, prepared, observer);
        if (!result.done()) throw std::runtime_error(result.message);
        writer.finish();
        return trace.str();
    });
    std::size_t instructions = 0, seen = 0;
    for (const auto& program : subject.package.programs) instructions += program.size();
    const auto trace = nlohmann::json::parse(text);
    for (const auto& event : trace.at("traceEvents"))
        seen += event.contains("args") && event.at("args").contains("instruction") ? 1 : 0;
    EXPECT_EQ(seen, instructions);
}

// The scores are far beyond the range of exp: only their distance to the largest counts.
TEST(RtlAttention, LargeScores) {
    auto random = generator();
    for (const char* dtype : {"fp32", "bf16"}) {
        for (const char* dim : {"3", "16"}) {
            for (const char* causal : {"0", "1"}) {
                KernelCase subject("attention", config::load("small16"),
                                   {{"seq", "40"}, {"dim", dim}, {"dtype", dtype}, {"causal", causal}},
                                   random);
                for (const char* name : {"q", "k"}) {
                    const auto& tensor =
                        *std::ranges::find(subject.package.tensors, name, &neff::Tensor::name);
                    Bits bits = random_tensor(random, tensor.shape[0] * tensor.shape[1], Dtype::Fp32);
                    for (std::uint32_t& element : bits)
                        element = numerics::from_fp32(numerics::to_fp32(element, Dtype::Fp32) * 0x1p40f,
                                                      tensor.dtype);
                    subject.contents.at(name) = pack(bits, tensor.dtype);
                }
                const Bytes outputs = subject.on_rtl();
                expect_same(outputs, subject.interpreted({}, random() % 6));
                const std::size_t width = outputs.size() / 40 / std::stoul(dim);
                for (std::size_t i = 0; i < outputs.size(); i += width) {
                    std::uint32_t element = 0;
                    std::memcpy(&element, &outputs[i], width);
                    ASSERT_TRUE(std::isfinite(numerics::to_fp32(element, subject.package.tensors[0].dtype)))
                        << "element " << i / width;
                }
            }
        }
    }
}

class RtlRounding : public ::testing::TestWithParam<KernelRow> {};

TEST_P(RtlRounding, FollowsTheSeed) {
    auto random = generator();
    const KernelCase subject(GetParam().kernel, config::load("small16"), choose(GetParam().rounds, 0, random),
                             random);
    const auto seed = static_cast<std::uint32_t>(random());
    const Bytes bits = subject.on_rtl({true, seed});
    expect_same(bits, subject.interpreted({true, seed}, random() % 6));
    const Bytes others = subject.on_rtl({true, seed + 1});
    expect_same(others, subject.interpreted({true, seed + 1}, random() % 6));
    EXPECT_NE(bits, others);
    EXPECT_NE(bits, subject.interpreted());
}

std::vector<KernelRow> rounding_rows() {
    std::vector<KernelRow> rounding;
    std::ranges::copy_if(kernel_rows(), std::back_inserter(rounding),
                         [](const KernelRow& row) { return !row.rounds.empty(); });
    return rounding;
}

std::string name_of_case(const ::testing::TestParamInfo<KernelRow>& info) {
    return info.param.kernel;
}

INSTANTIATE_TEST_SUITE_P(, RtlKernels, ::testing::ValuesIn(kernel_rows()), name_of_case);
INSTANTIATE_TEST_SUITE_P(, RtlRounding, ::testing::ValuesIn(rounding_rows()), name_of_case);

TEST(RtlKernelTable, HasEveryKernel) {
    std::vector<std::string> names, tested;
    for (const kernels::Kernel& kernel : kernels::kernels()) names.emplace_back(kernel.name);
    for (const KernelRow& row : kernel_rows()) tested.push_back(row.kernel);
    std::ranges::sort(names);
    std::ranges::sort(tested);
    EXPECT_EQ(names, tested);
}

}  // namespace
}  // namespace trnsim::test
