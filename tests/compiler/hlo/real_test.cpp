// Floating-point types against their definitions, and narrow ones code by code.
#include "compiler/hlo/real.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "common/random.hpp"

namespace trnsim::test {
namespace {

using hlo::ElementType;

constexpr ElementType Narrow[] = {
    ElementType::F16,        ElementType::Bf16,     ElementType::F8e5m2,        ElementType::F8e4m3,
    ElementType::F8e3m4,     ElementType::F8e4m3fn, ElementType::F8e4m3b11fnuz, ElementType::F8e4m3fnuz,
    ElementType::F8e5m2fnuz, ElementType::F4e2m1fn, ElementType::F8e8m0fnu};

TEST(RealTypes, EveryCodeComesBack) {
    for (const ElementType type : Narrow) {
        const std::uint64_t codes = std::uint64_t{1} << hlo::info(type).bits;
        for (std::uint64_t code = 0; code < codes; ++code) {
            const double value = hlo::decode_real(type, code);
            if (std::isnan(value)) {
                EXPECT_TRUE(std::isnan(hlo::decode_real(type, hlo::encode_real(type, value))))
                    << hlo::name(type) << " " << code;
            } else {
                EXPECT_EQ(hlo::encode_real(type, value), code) << hlo::name(type);
            }
        }
    }
}

TEST(RealTypes, RoundToTheNearestAndTiesToEven) {
    auto random = generator();
    for (const ElementType type : Narrow) {
        if (type == ElementType::F8e8m0fnu) continue;
        const std::uint64_t positive = std::uint64_t{1} << (hlo::info(type).bits - 1);
        for (std::uint64_t code = 0; code + 1 < positive; ++code) {
            const double a = hlo::decode_real(type, code), b = hlo::decode_real(type, code + 1);
            if (!std::isfinite(a) || !std::isfinite(b)) continue;
            const double middle = (a + b) / 2;
            EXPECT_EQ(hlo::encode_real(type, middle), code % 2 == 0 ? code : code + 1)
                << hlo::name(type) << " " << middle;
            EXPECT_EQ(hlo::encode_real(type, std::nextafter(middle, a)), code);
            EXPECT_EQ(hlo::encode_real(type, std::nextafter(middle, b)), code + 1);
            const double between = a + (b - a) * std::uniform_real_distribution<>(0, 1)(random);
            EXPECT_EQ(hlo::encode_real(type, between),
                      std::fabs(between - a) < std::fabs(b - between) ? code : code + 1);
        }
    }
}

// The largest numbers and what lies beyond, from the definitions of the types (ml_dtypes).
TEST(RealTypes, EndWhereTheirDefinitionsSay) {
    struct Row {
        ElementType type;
        double largest, smallest;
        bool infinite;
    };
    const Row rows[] = {{ElementType::F16, 65504, std::ldexp(1, -24), true},
                        {ElementType::Bf16, 3.3895313892515355e38, std::ldexp(1, -133), true},
                        {ElementType::F8e5m2, 57344, std::ldexp(1, -16), true},
                        {ElementType::F8e4m3, 240, std::ldexp(1, -9), true},
                        {ElementType::F8e3m4, 15.5, std::ldexp(1, -6), true},
                        {ElementType::F8e4m3fn, 448, std::ldexp(1, -9), false},
                        {ElementType::F8e4m3b11fnuz, 30, std::ldexp(1, -13), false},
                        {ElementType::F8e4m3fnuz, 240, std::ldexp(1, -10), false},
                        {ElementType::F8e5m2fnuz, 57344, std::ldexp(1, -17), false}};
    for (const Row& row : rows) {
        EXPECT_EQ(hlo::rounded(row.type, row.largest), row.largest) << hlo::name(row.type);
        EXPECT_EQ(hlo::rounded(row.type, row.smallest), row.smallest) << hlo::name(row.type);
        EXPECT_EQ(hlo::rounded(row.type, row.smallest / 2), 0) << hlo::name(row.type);
        const double beyond = hlo::rounded(row.type, row.largest * 1.5);
        EXPECT_TRUE(row.infinite ? std::isinf(beyond) : std::isnan(beyond)) << hlo::name(row.type);
    }
    EXPECT_EQ(hlo::rounded(ElementType::F4e2m1fn, 100), 6);
    EXPECT_EQ(hlo::rounded(ElementType::F8e8m0fnu, 3.1), 4);
    EXPECT_TRUE(std::isnan(hlo::rounded(ElementType::F8e8m0fnu, -1)));
}

}  // namespace
}  // namespace trnsim::test
