// Chains of fp32 products that result in a zero. The sign of the result shows the signs of the intermediate
// zeros: a part of an operand that is zero keeps the operand's sign.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trnsim::test {

struct SignedProduct {
    std::string what;
    std::vector<std::uint32_t> stationary, moving;  // fp32 bits, one a row
    bool accumulate;                                // adds onto `before`
    std::uint32_t before, result;
};

// In all of them row 0 leaves -0 in every pass, because every pair of parts has a negative product that is
// flushed. A later row changes that to +0 if its product is +0.
inline std::vector<SignedProduct> signed_products() {
    constexpr std::uint32_t PlusZero = 0, MinusZero = 0x80000000, One = 0x3f800000, MinusOne = 0xbf800000;
    constexpr std::uint32_t Tiny = 0x0d923456, MinusTiny = 0x8d923456;  // about 2^-100, low parts not zero
    constexpr std::uint32_t MinusTwelveBits = 0xc0fff000;               // exact in the high part
    constexpr std::uint32_t LowFlushed = 0x80912345;                    // its low part is subnormal
    return {
        {"a row of flushed products", {MinusTiny}, {Tiny}, false, PlusZero, MinusZero},
        {"-1 times +0", {MinusTiny, MinusOne}, {Tiny, PlusZero}, false, PlusZero, MinusZero},
        {"+0 times -1", {MinusTiny, PlusZero}, {Tiny, MinusOne}, false, PlusZero, MinusZero},
        {"12 bits times +0", {MinusTiny, MinusTwelveBits}, {Tiny, PlusZero}, false, PlusZero, MinusZero},
        {"-0 times 1", {MinusTiny, MinusZero}, {Tiny, One}, false, PlusZero, MinusZero},
        {"1 times -0", {MinusTiny, One}, {Tiny, MinusZero}, false, PlusZero, MinusZero},
        {"a flushed low part", {MinusTiny, LowFlushed}, {Tiny, PlusZero}, false, PlusZero, MinusZero},
        {"-1 times -0", {MinusTiny, MinusOne}, {Tiny, MinusZero}, false, PlusZero, PlusZero},
        {"accumulated onto -0", {MinusTiny, MinusOne}, {Tiny, PlusZero}, true, MinusZero, MinusZero},
        {"accumulated onto +0", {MinusTiny, MinusOne}, {Tiny, PlusZero}, true, PlusZero, PlusZero},
        {"a single +0", {MinusOne}, {PlusZero}, false, PlusZero, PlusZero},
    };
}

}  // namespace trnsim::test
