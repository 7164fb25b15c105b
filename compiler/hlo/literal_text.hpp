// Elements of literals in text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "compiler/hlo/literal.hpp"

namespace trnsim::hlo {

// Returns "{ {1, 2}, {3, 4} }", "1.5" or "(1, {2, 3})".
std::string format(const Literal& literal);
std::string format_element(const Literal& literal, std::size_t at);

// Appends the element that a word stands for to literal.data. Returns false when it stands for none of its type.
bool append_element(Literal& literal, std::string_view word);

}  // namespace trnsim::hlo
