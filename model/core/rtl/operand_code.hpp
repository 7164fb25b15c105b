// Conversion of a stationary operand between a processing element's format (rtl/fp/tensor_lane_pkg.sv,
// operand_t) and fp32.
#pragma once

#include <cstdint>

namespace trnsim::tlm::operand {

inline constexpr std::uint32_t LowBit = 1u << 13;  // low part of an fp32 operand
inline constexpr std::uint32_t Bias = 449, SpecialExponent = 255;
inline constexpr std::uint32_t Infinity = 0x8000'0800, NaN = 0xfff0'0000;
inline constexpr std::uint32_t SignBit = 1u << 31;

// Encodes `value`, which has 12 significant bits and is not subnormal, or is read as zero.
constexpr std::uint32_t encode(std::uint32_t value, bool low) {
    const std::uint32_t exponent = value >> 23 & 0xff, fraction = value & 0x7f'ffff;
    std::uint32_t code = 0;
    if (exponent == SpecialExponent)
        code = fraction == 0 ? Infinity : NaN;
    else if (exponent != 0)
        code = (exponent + Bias) << 20 | 0x800 | fraction >> 12;
    return code | (value & SignBit) >> 19 | (low ? LowBit : 0);
}

constexpr std::uint32_t decode(std::uint32_t operand) {
    const std::uint32_t sign = operand << 19 & SignBit;
    const std::uint32_t code = operand >> 20, significand = operand & 0xfff;
    if (code == NaN >> 20) return 0x7fc0'0000;
    if (code == Infinity >> 20) return sign | SpecialExponent << 23;
    if (significand == 0) return sign;
    return sign | (code - Bias) << 23 | (significand & 0x7ff) << 12;
}

}  // namespace trnsim::tlm::operand
