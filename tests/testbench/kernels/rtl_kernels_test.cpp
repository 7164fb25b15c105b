// Every built-in kernel on the verilated core in the whole system: the bits of every output are the
// interpreter's, with random shapes on a small core, once on the full one, and with stochastic rounding.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/random.hpp"
#include "rtl_cases.hpp"
#include "testbench/kernels/registry.hpp"

namespace trnsim::test {
namespace {

void check(const std::string& kernel, const std::string& config_name, const KernelArguments& arguments,
           std::mt19937_64& random) {
    const KernelCase subject(kernel, config::load(config_name), arguments, random);
    SCOPED_TRACE(subject.name());
    expect_same(subject.on_rtl(), subject.interpreted());
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

class RtlRounding : public ::testing::TestWithParam<KernelRow> {};

TEST_P(RtlRounding, FollowsTheSeed) {
    auto random = generator();
    const KernelCase subject(GetParam().kernel, config::load("small16"), choose(GetParam().rounds, 0, random),
                             random);
    const auto seed = static_cast<std::uint32_t>(random());
    const Bytes bits = subject.on_rtl({true, seed});
    expect_same(bits, subject.interpreted({true, seed}));
    const Bytes others = subject.on_rtl({true, seed + 1});
    expect_same(others, subject.interpreted({true, seed + 1}));
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
