// Classes of the element types; isa/element_type.hpp has their sizes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "isa/isa_tables.hpp"

namespace trnsim::target {

// Returns false for a code that is no type.
bool is_float(isa::Dtype dtype);

// Types of [partitions,1] operands: all but the bias of an activation and the probability of dropout are
// fp32.
std::span<const isa::Dtype> bias_types();
std::span<const isa::Dtype> probability_types(isa::Dtype data);

// Returns whether a matmul takes operands of these two types: fp32 goes with tf32, and the narrower
// floating-point types go with each other.
bool multiplies(isa::Dtype stationary, isa::Dtype moving);

// Returns the type called `name` ("bf16", "fp8_e4m3", ...). Throws Error that lists the names.
isa::Dtype parse_dtype(std::string_view name);

}  // namespace trnsim::target
