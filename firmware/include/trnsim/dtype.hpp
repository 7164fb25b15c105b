// Types of elements.
#pragma once

#include <stdint.h>

namespace trnsim::firmware {

// The supported data types, with their codes in the instruction set (isa.yaml).
enum class Dtype : uint32_t { I8 = 2, U8 = 3, I16 = 4, U16 = 5, Bf16 = 6, I32 = 8, U32 = 9, Fp32 = 10 };

inline constexpr uint32_t NoSize = 3;

// Returns log2 of the type's bytes, or NoSize if the type is not supported. The table has two bits a code,
// code 15 first.
constexpr uint32_t size_log2(Dtype dtype) {
    constexpr uint32_t Sizes = 0b11'11'11'11'11'10'10'10'11'01'01'01'00'00'11'11;
    const auto code = static_cast<uint32_t>(dtype);
    return code < 16 ? Sizes >> 2 * code & 3 : NoSize;
}

}  // namespace trnsim::firmware
