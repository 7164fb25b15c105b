// The elements of a literal in its file.
#pragma once

#include <cstdint>

#include "compiler/hlo/element_type.hpp"

namespace trnsim::hlo {

// Throws Error for a number that names no type.
ElementType type_of(std::int64_t number);

}  // namespace trnsim::hlo
