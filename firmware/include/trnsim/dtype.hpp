// Types of elements.
#pragma once

#include <stdint.h>

namespace trnsim::firmware {

// Codes of the instruction set (isa.yaml), of which these are supported.
enum class Dtype : uint32_t { I8 = 2, U8 = 3, I16 = 4, U16 = 5, Bf16 = 6, I32 = 8, U32 = 9, Fp32 = 10 };

inline constexpr uint32_t NoSize = 3;

// log2 of its bytes; NoSize for a type that is not supported. Two bits a code, of code 15 first.
constexpr uint32_t size_log2(Dtype dtype) {
    constexpr uint32_t Sizes = 0b11'11'11'11'11'10'10'10'11'01'01'01'00'00'11'11;
    const auto code = static_cast<uint32_t>(dtype);
    return code < 16 ? Sizes >> 2 * code & 3 : NoSize;
}

}  // namespace trnsim::firmware
