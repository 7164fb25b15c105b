// Tests functions without a table, special operands, and table sets.
#include "arch/activation/activation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "arch/numerics/format.hpp"

namespace trnsim::activation {
namespace {

using isa::Activation;
using isa::ActivationSet;
using numerics::bits_of;
using numerics::float_of;

constexpr float Inf = std::numeric_limits<float>::infinity();
constexpr float Tiny = 0x1p-127f;
const float Nan = std::nanf("");

struct Case {
    Activation function;
    float z;
    float expected;
};

// alpha is 0.25.
TEST(Activation, SpecialOperands) {
    const Case cases[] = {
        {Activation::Copy, -1.5f, -1.5f},
        {Activation::Copy, -Tiny, -0.0f},
        {Activation::Square, -3.0f, 9.0f},
        {Activation::Square, -Inf, Inf},
        {Activation::Relu, -2.0f, 0.0f},
        {Activation::Relu, -0.0f, 0.0f},
        {Activation::Abs, -0.0f, 0.0f},
        {Activation::Abs, -Inf, Inf},
        {Activation::Sign, -0.0f, -0.0f},
        {Activation::Sign, -7.0f, -1.0f},
        {Activation::Sign, Tiny, 0.0f},
        {Activation::Prelu, -8.0f, -2.0f},
        {Activation::Prelu, 8.0f, 8.0f},
        {Activation::Prelu, -0.0f, -0.0f},
        {Activation::Exp, 0.0f, 1.0f},
        {Activation::Exp, 1000.0f, Inf},
        {Activation::Exp, -1000.0f, 0.0f},
        {Activation::Exp, -Inf, 0.0f},
        {Activation::Log, 1.0f, 0.0f},
        {Activation::Log, -0.0f, -Inf},
        {Activation::Log, -1.0f, Nan},
        {Activation::Sqrt, 4.0f, 2.0f},
        {Activation::Sqrt, -0.0f, -0.0f},
        {Activation::Sqrt, -Inf, Nan},
        {Activation::Rsqrt, 0x1p-126f, 0x1p63f},
        {Activation::Rsqrt, Inf, 0.0f},
        {Activation::Reciprocal, -Inf, -0.0f},
        {Activation::Reciprocal, -0.0f, -Inf},
        {Activation::Reciprocal, 0x1p-126f, 0x1p126f},
        {Activation::Reciprocal, 0x1p127f, 0.0f},
        {Activation::Sin, 8.0f, Nan},
        {Activation::Gelu, -Inf, -0.0f},
        {Activation::Tanh, -Inf, -1.0f},
        {Activation::Softplus, 1e30f, 1e30f},
    };
    for (const Case& c : cases) {
        const float expected = std::isnan(c.expected) ? float_of(numerics::CanonicalNan) : c.expected;
        EXPECT_EQ(bits_of(activate(c.function, c.z, 0.25f)), bits_of(expected))
            << isa::name_of(c.function) << " of " << c.z;
    }
}

TEST(Activation, NanGivesTheCanonicalNan) {
    for (const auto& [code, name] : isa::activation_values()) {
        for (const std::uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7f800001u})
            EXPECT_EQ(bits_of(activate(static_cast<Activation>(code), float_of(bits), 1)),
                      numerics::CanonicalNan)
                << name;
    }
}

TEST(Activation, RefusesACodeThatIsNoFunction) {
    EXPECT_THROW(activate(static_cast<Activation>(63), 1, 0), std::invalid_argument);
}

TEST(Activation, EveryFunctionIsInASet) {
    for (const auto& [code, name] : isa::activation_values()) {
        const auto function = static_cast<Activation>(code);
        int sets = 0;
        for (const auto& set : isa::activation_set_values())
            sets += in_set(function, static_cast<ActivationSet>(set.value));
        EXPECT_GT(sets, 0) << name;
        EXPECT_EQ(in_set(function, ActivationSet::None), !has_table(function)) << name;
    }
    EXPECT_TRUE(in_set(Activation::Exp, ActivationSet::NaturalLogExpAndOthers));
    EXPECT_FALSE(in_set(Activation::Exp, ActivationSet::ReciprocalSqrtAndSmall));
}

}  // namespace
}  // namespace trnsim::activation
