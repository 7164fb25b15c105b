// Types of elements.
#pragma once

#include <stdint.h>

namespace trnsim::firmware {

// Codes of the instruction set (isa.yaml), of which these are supported.
enum class Dtype : uint32_t { I8 = 2, U8 = 3, I16 = 4, U16 = 5, Bf16 = 6, I32 = 8, U32 = 9, Fp32 = 10 };

inline constexpr uint32_t NoSize = 3;

// log2 of its bytes; NoSize for a type that is not supported.
constexpr uint32_t size_log2(Dtype dtype) {
    switch (dtype) {
        case Dtype::I8:
        case Dtype::U8:
            return 0;
        case Dtype::I16:
        case Dtype::U16:
        case Dtype::Bf16:
            return 1;
        case Dtype::I32:
        case Dtype::U32:
        case Dtype::Fp32:
            return 2;
    }
    return NoSize;
}

}  // namespace trnsim::firmware
