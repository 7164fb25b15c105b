// Element types in memory.
#pragma once

#include <cstdint>

#include "isa/isa_tables.hpp"

namespace trnsim::isa {

// Returns the bytes of one element; tf32 takes four. 0 for a code that is no type.
constexpr std::uint32_t element_size(Dtype dtype) {
    switch (dtype) {
        case Dtype::I8:
        case Dtype::U8:
        case Dtype::Fp8E3m4:
        case Dtype::Fp8E4m3:
        case Dtype::Fp8E5m2:
            return 1;
        case Dtype::I16:
        case Dtype::U16:
        case Dtype::Bf16:
        case Dtype::Fp16:
            return 2;
        case Dtype::I32:
        case Dtype::U32:
        case Dtype::Fp32:
        case Dtype::Tf32:
            return 4;
    }
    return 0;
}

constexpr bool is_integer_type(Dtype dtype) {
    switch (dtype) {
        case Dtype::I8:
        case Dtype::U8:
        case Dtype::I16:
        case Dtype::U16:
        case Dtype::I32:
        case Dtype::U32:
            return true;
        default:
            return false;
    }
}

}  // namespace trnsim::isa
