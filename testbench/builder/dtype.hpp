// Sizes and classes of the element types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "testbench/isa/isa_tables.hpp"

namespace trnsim::builder {

// Bytes of one element in memory; tf32 takes four.
std::uint32_t bytes_of(isa::Dtype dtype);

bool is_float(isa::Dtype dtype);

// fp32 and tf32: types that a matmul does not mix with the others.
inline bool is_wide_float(isa::Dtype dtype) {
    return dtype == isa::Dtype::Fp32 || dtype == isa::Dtype::Tf32;
}

// The type called `name` ("bf16", "fp8_e4m3", ...). Throws Error that lists the names.
isa::Dtype parse_dtype(std::string_view name);

}  // namespace trnsim::builder
