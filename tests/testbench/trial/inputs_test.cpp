#include "testbench/trial/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arch/numerics/format.hpp"

namespace trnsim::trial {
namespace {

neff::Package package() {
    neff::Package package;
    package.name = "k";
    package.tensors = {{"x", neff::TensorKind::Input, isa::Dtype::Fp32, {40, 50}},
                       {"v", neff::TensorKind::Update, isa::Dtype::Fp32, {2000}},
                       {"labels", neff::TensorKind::Input, isa::Dtype::I32, {2000}}};
    return package;
}

template <typename Element>
std::vector<Element> elements(const std::vector<std::uint8_t>& bytes) {
    std::vector<Element> list(bytes.size() / sizeof(Element));
    std::memcpy(list.data(), bytes.data(), bytes.size());
    return list;
}

TEST(Inputs, RangesByKind) {
    const neff::Package p = package();
    const auto between = [](auto list, auto low, auto high) {
        EXPECT_EQ(list.size(), 2000u);
        for (const auto value : list) EXPECT_TRUE(low <= value && value < high) << value;
        return *std::max_element(list.begin(), list.end());
    };
    EXPECT_GT(between(elements<float>(random_input(p, p.tensors[0], 1)), -2.0f, 2.0f), 1.9f);
    EXPECT_GT(between(elements<float>(random_input(p, p.tensors[1], 1)), 0.0f, 2.0f), 1.9f);
    EXPECT_EQ(between(elements<std::int32_t>(random_input(p, p.tensors[2], 1)), 0, 50), 49);
}

// The draws are those of fp32, each rounded separately; in fp32 they are multiples of 2^-22 and 2^-23.
TEST(Inputs, ElementTypesRoundTheSameDraws) {
    const neff::Package p = package();
    for (unsigned t = 0; t < 2; ++t) {
        const auto exact = elements<float>(random_input(p, p.tensors[t], 1));
        for (const float value : exact) {
            const float steps = std::ldexp(value, t == 0 ? 22 : 23);
            ASSERT_EQ(steps, std::nearbyint(steps));
        }
        for (const isa::Dtype dtype : {isa::Dtype::Tf32, isa::Dtype::Bf16, isa::Dtype::Fp16,
                                       isa::Dtype::Fp8E3m4, isa::Dtype::Fp8E4m3, isa::Dtype::Fp8E5m2}) {
            neff::Tensor tensor = p.tensors[t];
            tensor.dtype = dtype;
            const auto rounded = random_input(p, tensor, 1);
            const auto bytes = static_cast<std::size_t>(numerics::storage_bytes(dtype));
            ASSERT_EQ(rounded.size(), exact.size() * bytes);
            for (std::size_t i = 0; i < exact.size(); ++i) {
                std::uint32_t bits = 0;
                std::memcpy(&bits, rounded.data() + i * bytes, bytes);
                ASSERT_EQ(bits, numerics::from_fp32(exact[i], dtype)) << exact[i];
            }
        }
    }
}

// Labels are columns of the first tensor, but a scalar has none.
TEST(Inputs, TheFirstTensorMayBeAScalar) {
    neff::Package p = package();
    p.tensors[0].shape = {};
    EXPECT_EQ(random_input(p, p.tensors[0], 1).size(), 4u);
    for (const std::int32_t label : elements<std::int32_t>(random_input(p, p.tensors[2], 1)))
        EXPECT_EQ(label, 0);
}

TEST(Inputs, DependOnSeedTensorAndArguments) {
    neff::Package p = package();
    const auto first = random_input(p, p.tensors[0], 1);
    EXPECT_EQ(random_input(p, p.tensors[0], 1), first);
    EXPECT_NE(random_input(p, p.tensors[0], 2), first);
    neff::Tensor other = p.tensors[0];
    other.name = "y";
    EXPECT_NE(random_input(p, other, 1), first);
    p.arguments = "M=2";
    EXPECT_NE(random_input(p, p.tensors[0], 1), first);
}

}  // namespace
}  // namespace trnsim::trial
